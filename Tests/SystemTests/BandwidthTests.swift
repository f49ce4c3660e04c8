import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// So many bytes a second of all uploads together.
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
      var setup = rig.setup
      setup.daemonLines = []
      try setup.write()
      #expect(try await rig.daemon.waybill("reload").status == 0)
      let large = try await rig.daemon.job(named: "large.bin", in: "registered")
      try await rig.daemon.job(named: "small.bin", in: "registered")
      #expect(large.attempts.array.map(\.outcome) == ["succeeded", "succeeded"])
      let object = try await rig.sandbox.objects()[large.key.string ?? ""]
      #expect(object?.sha256.string == (try await Bytes.sha256(data)))
    }
  }

  /// Slow until a minute of the week in Berlin. The clock comes to it by itself, and the upload under way is no longer held up.
  @Test func clockEndsLimitForRunningUploads() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = try await WallClock(in: folder.url)
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "Europe/Berlin")
    func text(_ date: Date, _ form: String) -> String {
      format.dateFormat = form
      return format.string(from: date)
    }
    let minute = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 60).rounded(.up) * 60 + 60)
    try await withRig(
      starting: false,
      {
        let end = minute.addingTimeInterval(3 * 86_400)
        $0.daemonLines = [
          "timezone = \"Europe/Berlin\"",
          "bandwidth = [{ from = \"\(text(minute, "EEE HH:mm"))\", to = \"\(text(end, "EEE HH:mm"))\", limit = \"0\" }, "
            + "{ limit = \"16KiB\" }]",
        ]
        $0.key = "{yyyy}-{mm}-{dd}/{id}/{name}"
      }
    ) { rig in
      let data = try Bytes.random(3 << 20)
      try rig.drop("large.bin", data)
      try clock.set(hours: (minute.timeIntervalSinceNow - 45) / 3600)
      try rig.daemon.launch(environment: clock.variables)
      try await until("the upload to be in flight") { try await rig.sandbox.count("upload") == 1 }
      #expect(try rig.daemon.told("bandwidth: uploads are limited to 16384 bytes a second") == 1)
      let job = try await rig.daemon.job(named: "large.bin", in: "registered")
      #expect(try rig.daemon.told("bandwidth: uploads are not limited") == 1)
      #expect(job.attempts.array.map(\.outcome) == ["succeeded", "succeeded"])
      let days = [minute, minute.addingTimeInterval(-60)].map { text($0, "yyyy-MM-dd/") }
      #expect(days.contains { job.key.string?.hasPrefix($0) == true }, "\(job.key) \(days)")
    }
  }
}
