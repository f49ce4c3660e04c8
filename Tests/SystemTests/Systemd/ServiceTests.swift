import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// The service under a real systemd: the unit, the journal and the daemon together.
@Suite(.slot, .needs(.systemd))
struct ServiceTests {
  /// The MESSAGE_ID of `registered`.
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

  @Test func requestsOutlastStopTimeout() async throws {
    func setup(_ setup: inout ServiceSetup) {
      setup.constants["grace"] = "\"1h\""
      setup.backendLines = ["timeout = \"1h\""]
    }
    try await withService(faults: ["register": ["hold": true]], setup) { rig in
      try await rig.machine.dropIn("quick", for: rig.service.unit, "[Service]\nTimeoutStopSec=4s\n")
      try await rig.service.start()
      try await rig.drop("a.pdf")
      try await rig.sandbox.receives("register")
      try await rig.machine.require("systemctl", "stop", "--no-block", rig.service.unit)
      try await rig.service.until("StatusText", is: "stopping, 1 in flight")
      let stopped = ContinuousClock.now
      try await until("twice that time to pass") { ContinuousClock.now - stopped > .seconds(8) }
      #expect(try await rig.service.property("ActiveState") == "deactivating")
      try await rig.sandbox.recover()
      try await rig.service.until("ActiveState", is: "inactive")
      #expect(try await rig.service.property("Result") == "success")
      try await rig.service.start()
      try await rig.service.job(named: "a.pdf", in: "registered")
      #expect(try await rig.sandbox.count("register") == 1, "it was heard to its end")
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

  @Test(.needs(.failpoints)) func restartLoopLogsLittle() async throws {
    try await withService { rig in
      let words = "Environment=" + Failpoint.started.variable().map { "\($0)=\($1)" }.joined()
      #expect(try await rig.service.property("RestartUSec") == "10s")
      try await rig.machine.dropIn("quick", for: rig.service.unit, "[Service]\nRestartSec=100ms\n\(words)\n")
      try await rig.machine.run("systemctl", "start", rig.service.unit)
      try await until("five restarts") { Int(try await rig.service.property("NRestarts")) ?? 0 >= 5 }
      try await rig.service.systemctl("stop")
      let lives = Dictionary(
        grouping: try await rig.machine.journal(
          "_SYSTEMD_UNIT=waybill.service", "+", "UNIT=waybill.service")
      ) { $0["_SYSTEMD_INVOCATION_ID"].string ?? $0.INVOCATION_ID.string ?? "" }
      #expect(lives.count >= 5)
      for (life, entries) in lives {
        #expect(entries.count <= 10, "\(life): \(entries.map(\.MESSAGE))")
      }
    }
  }
}
