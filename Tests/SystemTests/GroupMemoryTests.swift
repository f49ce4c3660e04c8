import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The daemon's memory does not grow with the files of a group. Its heap is counted (`Tests/Support/heap-counter.c`), so what the
/// kernel keeps does not count. What is on its way at one time depends on the machine, so the bound is an order of magnitude over
/// what one name for each file would be: `make bench BENCH=groups` measures closely.
@Suite(.slot)
struct GroupMemoryTests {
  private struct Heap {
    let file: String

    private func number(_ index: Int) throws -> Int {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))[index * 8..<index * 8 + 8]
      return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func begin() throws {
      let handle = try FileHandle(forUpdating: URL(filePath: file))
      try handle.seek(toOffset: 8)
      try handle.write(contentsOf: Data(count: 8))
      try handle.close()
    }

    func most() throws -> Int { try number(1) }
  }

  /// The number of files of the larger group. WAYBILL_TEST_GROUP_FILES=10000 is the long form.
  private static let count =
    ProcessInfo.processInfo.environment["WAYBILL_TEST_GROUP_FILES"].flatMap(Int.init) ?? 2000

  /// Makes a group of small files, the last of which has a path that no key has room for. So the attempt ends with a question
  /// when all others are stored, and before the list for the backend is made.
  private func drop(_ rig: Rig, _ name: String, _ count: Int) throws {
    let outside = rig.folder.appending(path: name)
    let last = try outside.madeFolder((0..<5).map { _ in String(repeating: "z", count: 198) }.joined(separator: "/"))
    try Data().write(to: last.appending(path: "z"))
    let folder = try outside.madeFolder("data")
    for index in 0..<count { try Data("\(index)".utf8).write(to: folder.appending(path: "file \(index).bin")) }
    try Data().write(to: outside.appending(path: "run.done"))
    try FileManager.default.moveItem(at: outside, to: rig.setup.spool.appending(path: name))
  }

  @Test func memoryDoesNotGrowWithGroup() async throws {
    let folder = try TemporaryFolder()
    let (library, file) = (folder.file("heap-counter.so"), folder.file("heap"))
    try await Command.require(
      ["clang", "-O2", "-shared", "-fPIC", "-o", library, Products.support("heap-counter.c")])
    // What all programs of the run have preloaded stays.
    let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
    try await withRig(
      environment: ["LD_PRELOAD": library + others, "HEAP_COUNTER": file],
      { $0.spoolLines += ["marker = \"*.done\""] }
    ) { rig in
      let heap = Heap(file: file)
      func most(_ name: String, _ count: Int) async throws -> Int {
        try heap.begin()
        try drop(rig, name, count)
        let job = try await until("all but the last to be stored") {
          try await rig.daemon.jobs().first { $0.name.string == name && $0.state == "awaiting-confirmation" }
        }
        let shown = try await rig.daemon.job(job.job.int ?? 0)
        #expect(shown.files.stored.int == count && shown.files.all.int == count + 1, "\(shown.files)")
        return try heap.most()
      }
      // The first one makes what later ones find: connections, statements, buffers.
      _ = try await most("first", 300)
      let few = try await most("few", 300)
      let many = try await most("many", Self.count)
      print("the heap has \(few) bytes with 300 files, and \(many) with \(Self.count)")
      #expect(many < few + Self.count * 1500, "\(few) bytes with 300 files, \(many) with \(Self.count)")
    }
  }
}
