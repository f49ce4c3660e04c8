import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// What a daemon gives back to the kernel once there is nothing to do. How much memory that frees is the kernel's matter: a page of
/// code that is used again brings along those that lie with it in the file's memory, 16 or 512 of them. `make bench BENCH=daemon`
/// measures it.
@Suite(.slot, .needs(.noSanitizer))
struct RestTests {
  /// What the daemon has told the kernel: ranges of memory that it can do without (`Tests/Support/advice-log.c`).
  private struct Advice {
    let file: String

    private func entries() -> [(start: UInt64, length: UInt64)] {
      let bytes = [UInt8](FileManager.default.contents(atPath: file) ?? Data())
      func number(at place: Int) -> UInt64 {
        bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      return stride(from: 0, to: bytes.count - 15, by: 16).map { (number(at: $0), number(at: $0 + 8)) }
    }

    /// How often it has given back the free memory of its heap.
    var trims: Int { entries().count { $0.length == 0 } }

    /// How often it has given back a part of its code.
    func count(of code: Range<UInt64>) -> Int {
      entries().count { $0.start <= code.lowerBound && code.upperBound <= $0.start + $0.length }
    }
  }

  /// Where the program's code is in the process, but for the pages at its ends, which lie in other parts of the file too.
  private func code(of pid: Int32) throws -> Range<UInt64> {
    let program = URL(filePath: Products.daemon).resolvingSymlinksInPath().path
    let maps = try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8)
    let line = try #require(maps.split(separator: "\n").first { $0.contains(" r-xp ") && $0.hasSuffix(program) })
    let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
    let page = UInt64(getpagesize())
    try #require(ends.count == 2 && ends[1] - ends[0] > 100 * page, "\(line)")
    return ends[0] + page..<ends[1] - page
  }

  @Test func returnsMemoryAfterStartAndWork() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let (library, file) = (folder.file("advice-log.so"), folder.file("advice"))
    try await Command.require(
      ["clang", "-O2", "-shared", "-fPIC", "-o", library, Products.support("advice-log.c")])
    // What all programs of the run have preloaded stays.
    let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
    try await withRig(environment: ["LD_PRELOAD": library + others, "ADVICE_LOG": file]) { rig in
      let advice = Advice(file: file)
      let code = try code(of: rig.daemon.pid)
      // Most of the program's pages are read by its start alone.
      try await until("the start's memory to be given back") { advice.trims > 0 && advice.count(of: code) > 0 }
      let (trims, count) = (advice.trims, advice.count(of: code))
      // In one piece of work: what is given back after a little is less than the looking costs.
      #expect(try await rig.daemon.waybill("pause").status == 0)
      for number in 1...300 { try rig.drop("\(number).pdf") }
      try await until("all to be admitted") { try await rig.daemon.count("queued") == 300 }
      #expect(try await rig.daemon.waybill("resume").status == 0)
      try await until("all to be registered") { try await rig.daemon.count("registered") == 300 }
      try await until("the memory of the work to be given back") {
        advice.trims > trims && advice.count(of: code) > count
      }
      // It works as before.
      try await rig.drop("a.pdf", until: "registered")
    }
  }
}
