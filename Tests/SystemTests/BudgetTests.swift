import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A job's calls of the C library, counted in the daemon. How many jobs share a commit, a scan or a buffer depends on the machine, and
/// so do the counts a little. So here they have the bound of an order of magnitude, over which a job costs what it never should:
/// `make bench BENCH=budget` holds a release build against its budget.
@Suite(.slot)
struct BudgetTests {
  /// The rows that Tests/Support/call-counter.c writes: a name of 16 bytes, then six numbers.
  private static let names = ["allocations", "stats", "polls", "syncs", "writes", "frames"]
  /// Counts a job in a debug build, about.
  private static let budget = ["allocations": 2700.0, "stats": 5.2]
  /// The threads that count: the others also answer this test's questions.
  private static let threads = ["transfer", "spool ", "files"]

  private static func counts(in file: String) throws -> [String: Double] {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    let size = 16 + 8 * names.count
    var counts: [String: Double] = [:]
    for start in stride(from: 0, to: bytes.count - size + 1, by: size) where bytes[start] != 0 {
      let thread = String(decoding: bytes[start..<start + 16].prefix { $0 != 0 }, as: UTF8.self)
      guard threads.contains(where: thread.hasPrefix) else { continue }
      for (index, name) in names.enumerated() {
        let place = start + 16 + 8 * index
        let number = bytes[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        counts[name, default: 0] += Double(number)
      }
    }
    return counts
  }

  @Test func jobStaysNearCallBudget() async throws { try await expect(Self.budget) }

  private func expect(
    _ budget: [String: Double], _ adjust: (inout DaemonSetup) -> Void = { _ in }
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let (library, file) = (folder.file("call-counter.so"), folder.file("counts"))
    try await Command.require(
      ["clang", "-O2", "-shared", "-fPIC", "-o", library, Products.support("call-counter.c")])
    // What all programs of the run have preloaded stays.
    let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
    try await withRig(environment: ["LD_PRELOAD": library + others, "CALL_COUNTER": file], adjust) { rig in
      func run(_ files: Range<Int>) async throws {
        #expect(try await rig.daemon.waybill("pause").status == 0)
        try await rig.drop(files.map { .init(name: Array("\($0).pdf".utf8), data: [UInt8](repeating: 1, count: 4096)) })
        try await until("all admitted") { try await rig.daemon.count("queued") == files.count }
        #expect(try await rig.daemon.waybill("resume").status == 0)
        try await until("all registered") { try await rig.daemon.count("registered") == files.upperBound }
        try await until("all removed") { try rig.filesLeft().isEmpty }
      }
      // The first jobs make what later ones find: connections, statements, buffers.
      try await run(0..<100)
      let before = try Self.counts(in: file)
      try await run(100..<300)
      let after = try Self.counts(in: file)
      let spent = Self.names.map { "\($0) \((after[$0, default: 0] - before[$0, default: 0]) / 200)" }
      print("a job asks for \(spent.joined(separator: ", "))")
      for (name, usual) in budget {
        let spent = (after[name, default: 0] - before[name, default: 0]) / 200
        #expect(spent > usual / 10, "\(name) are not counted")
        #expect(spent < usual * 10, "\(name) a job")
      }
    }
  }
}
