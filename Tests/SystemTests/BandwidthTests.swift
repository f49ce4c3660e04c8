import ChildProcesses
import Testing

@testable import Harness

@Suite(.slot)
struct BandwidthTests {
  /// At the least limit the files would take five minutes; without one they are there at once.
  @Test func reloadedLimitAppliesToRunningUploads() async throws {
    try await withRig({
      $0.daemonLines = ["bandwidth = \"16KiB\""]
      $0.constants["stall_timeout"] = "\"10s\""
      $0.storageLines = ["part_size = \"5MiB\""]
    }) { rig in
      let data = try Bytes.random(5 << 20)
      try rig.drop("large.bin", data)
      try await until("its first part to be under way") { try await rig.sandbox.count("part") == 1 }
      // more than is handed to the kernel at once, before the limit is looked at
      try rig.drop("small.bin", try Bytes.random(1 << 20))
      try await until("both to be under way") { try await rig.daemon.status().activity.upload == 2 }
      try await rig.reload { $0.daemonLines = [] }
      let large = try await rig.daemon.job(named: "large.bin", in: "registered")
      try await rig.daemon.job(named: "small.bin", in: "registered")
      #expect(large.attempts.array.map(\.outcome) == ["succeeded", "succeeded"])
      let object = try await rig.sandbox.objects()[large.key.string ?? ""]
      #expect(object?.sha256.string == (try await Bytes.sha256(data)))
    }
  }
}
