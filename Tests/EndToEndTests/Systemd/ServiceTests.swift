import ChildProcesses
import Foundation
import Testing

/// The service under a real systemd: the units, the journal and the daemon together.
@Suite(.slot, .enabled(if: SystemdMachine.canRun))
struct ServiceTests {
  /// The MESSAGE_ID of `registered`.
  private static let registered = "9b47e1631e0f4e1187c7d315f9c43958"

  @Test func whatAnOrdinaryUserDropsIsRegisteredAndEachEventIsOneEntry() async throws {
    try await withService { rig in
      try await rig.service.start()
      #expect(try await rig.service.property("StatusText") == "idle")
      let job = try await rig.drop("scan 1.pdf", until: "registered")
      #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id])

      let entry = try await rig.machine.entry("MESSAGE_ID=" + Self.registered)
      #expect(entry.WAYBILL_EVENT == "registered" && entry.WAYBILL_JOB == "1" && entry.WAYBILL_ID == job.id, "\(entry)")
      #expect(entry.WAYBILL_FILE == "scan 1.pdf" && entry.WAYBILL_SPOOL == "documents" && entry.PRIORITY == "6")
      #expect(entry["_SYSTEMD_UNIT"] == "waybill.service" && entry.SYSLOG_IDENTIFIER == "waybilld")
      #expect(entry["_UID"].string == (try await rig.machine.require("id", "-u", "waybill")).dropLast().description)

      let explained = try await rig.machine.require(
        "journalctl", "--no-pager", "-x", "MESSAGE_ID=" + Self.registered)
      #expect(explained.contains("Subject: Job 1 is uploaded and registered"), "\(explained)")
      // what is written to standard output or error is a second line, or one without fields
      #expect(try await rig.service.entries("_TRANSPORT=stdout").isEmpty)

      try await rig.service.systemctl("stop")
      #expect(try await rig.service.property("Result") == "success")
      #expect(try await rig.service.entries("WAYBILL_EVENT=stopping").count == 1)
    }
  }
}
