import ChildProcesses
import Foundation
import Testing

@testable import Linux

@Suite struct MemoryBoundTests {
  @Test func smallestMemoryLimitCounts() throws {
    let folder = try TemporaryFolder()
    let root = folder.url.appending(path: "cgroup")
    func write(_ path: String, _ text: String) throws {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    func bytes(machine: Int64? = 8 << 30) -> Int64? {
      MemoryBound.bytes(machine: machine, membership: root.appending(path: "self").path, root: root.path)
    }
    #expect(bytes() == 8 << 30, "there are no groups")
    try write("self", "0::/system.slice/waybill.service\n")
    try write("system.slice/waybill.service/memory.max", "max\n")
    #expect(bytes() == 8 << 30)
    #expect(bytes(machine: nil) == nil)
    try write("system.slice/memory.max", "1073741824\n")
    #expect(bytes() == 1 << 30, "of a group above")
    try write("system.slice/waybill.service/memory.high", "268435456\n")
    #expect(bytes() == 256 << 20)
  }

  @Test func machineReportsMemory() { #expect(MemoryBound.bytes() ?? 0 > 16 << 20) }
}
