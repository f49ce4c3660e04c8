import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files far larger than what the daemon may have in memory.
@Suite(.slot)
struct LargeFileTests {
  /// 256 MiB, unless WAYBILL_TEST_LARGE says how many MiB (`make torture-files`).
  private static let size = (ProcessInfo.processInfo.environment["WAYBILL_TEST_LARGE"].flatMap { Int($0) } ?? 256) << 20
  /// Less than the file, in the suite; `make torture-files` looks closely.
  private static let limit =
    (ProcessInfo.processInfo.environment["WAYBILL_TEST_PRODUCTS"] == nil ? 200 : 64) * Sanitizer.memoryFactor << 20
  private static let partSize = 16 << 20

  @Test func memoryDoesNotGrowWithFile() async throws {
    let size = Self.size + 12_345
    try await withRig({
      // The sandbox puts the parts together before it answers.
      $0.completeTimeout = "10min"
      $0.constants["stall_timeout"] = "\"10min\""
      $0.storageLines = ["checksum = \"crc64nvme\""]
    }) { rig in
      let file = try SparseFile(rig.folder.appending(path: "large.bin"), size: size)
      let sum = try await file.sha256()
      let pid = try rig.daemon.pid
      let used = try ProcessFacts.processorTime(of: pid)
      let began = ContinuousClock.now
      try FileManager.default.moveItem(at: file.url, to: rig.setup.spool.appending(path: "large.bin"))
      try await until("it to be registered", within: patience + .seconds(size >> 22), every: .milliseconds(100)) {
        let counts = try await rig.daemon.status().counts
        let left = (counts["awaiting-confirmation"].int ?? 0) + (counts.aborted.int ?? 0)
        if left > 0 { throw Missing("a way home for it: \(try await rig.daemon.jobs())") }
        return counts.registered == 1
      }
      let wall = ContinuousClock.now - began
      let highest = try ProcessFacts.bytes("VmHWM", of: pid)
      let gibibytes = Double(size) / Double(1 << 30)
      let seconds = (try ProcessFacts.processorTime(of: pid) - used) / gibibytes
      print(
        "\(size >> 20) MiB in \(wall), \(String(format: "%.2f", seconds)) s of processor time a GiB, "
          + "memory at most \(highest >> 10) KiB")
      #expect(highest < Self.limit, "\(highest >> 10) KiB")

      let job = try await rig.daemon.job(1)
      let object = try #require(try await rig.sandbox.objects()[job.key.string ?? ""])
      #expect(object.size.int == size && object.sha256.string == sum)
      let count = (size + Self.partSize - 1) / Self.partSize
      #expect(try await rig.sandbox.count("part") == count, "each part was sent once")
      let body = try #require(try rig.sandbox.registrations().first).body
      // The sandbox's is over all bytes as they lie there, ours was put together from those of the parts.
      #expect(body.checksum.type == "full" && body.checksum.value.string != nil)
      #expect(body.checksum.value == object.checksums.crc64nvme)
    }
  }
}
