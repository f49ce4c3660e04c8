import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// The service under a real systemd: the unit, the journal and the daemon together.
@Suite(.slot, .needs(.systemd))
struct ServiceTests {
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
