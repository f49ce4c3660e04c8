import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// The service under a real systemd: the unit, the journal and the daemon together.
@Suite(.slot, .needs(.systemd))
struct ServiceTests {
  private static let registered = "9b47e1631e0f4e1187c7d315f9c43958"

  @Test func registersAndLogsUserDropOnce() async throws {
    try await withService { rig in
      try await rig.service.start()
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

      try await rig.service.systemctl("stop")
      #expect(try await rig.service.property("Result") == "success")
      let entries = try await rig.service.entries()
      let events = entries.map { $0.WAYBILL_EVENT.string ?? $0.MESSAGE.string ?? "" }.filter { $0 != "activity" }
      #expect(events == ["started", "registered", "stopping"], "each once, and nothing by standard error")
      #expect(entries.allSatisfy { $0.CODE_FILE.string?.hasSuffix(".swift") == true && !$0.CODE_LINE.isNull })
    }
  }

  /// The thread of the ledger's writer.
  @Test(.needs(.failpoints)) func hungThreadRestartsDaemon() async throws {
    try await withService { rig in
      let variables = Failpoint.ledgerCommitting.variable(turn: 8, hanging: true).map { "\($0)=\($1)\n" }.joined()
      try rig.machine.write("/run/hang", variables)
      // its next life is without
      try await rig.machine.dropIn(
        "quick", for: rig.service.unit,
        """
        [Service]
        WatchdogSec=10s
        RestartSec=100ms
        EnvironmentFile=-/run/hang
        ExecStopPost=+/bin/rm -f /run/hang
        LimitCORE=0

        """)
      try await rig.service.start()
      // more than there are commits at a start
      for number in 1...12 { try await rig.drop("\(number).pdf") }
      try await rig.machine.entry("UNIT=waybill.service", "UNIT_RESULT=watchdog")
      try await until("all to be registered") {
        guard try await rig.service.property("ActiveState") == "active" else { return false }
        return try await rig.sandbox.tally() == "12 registrations, 12 ids, 12 names"
      }
    }
  }
}
