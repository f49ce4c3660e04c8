import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Why a job does not move, as people and programs are told.
@Suite(.slot)
struct StandstillWordsTests {
  @Test func gatedJobReportsEndOfWait() async throws {
    try await withRig(faults: ["upload": ["status": 503, "retry_after": 600]]) { rig in
      try await rig.drop("a.pdf", until: "aborted")
      let held = try await rig.drop("b.pdf", until: "queued")
      #expect(held.standstill.reason == "gate" && held.standstill.ends == "time", "\(held.standstill)")
      #expect(held.standstill.until.string != nil && held.standstill.remedy == "waybill resume --storage main")
      let words = "storage.main is on hold: it answered 503 (service unavailable); the next try is at "
      #expect(held.standstill.message.string?.hasPrefix(words) == true, "\(held.standstill)")
      for command in [["show", "2"], ["explain", "2"], ["explain", "b.pdf"]] {
        let shown = try await rig.daemon.waybill(command)
        #expect(shown.status == 0 && shown.output.contains(words), "\(shown)")
        #expect(shown.output.contains("waybill resume --storage main"), "\(shown)")
      }
      #expect(try await rig.daemon.job(1).standstill == .null, "it has ended")
    }
  }

  /// A gate that waits for the answer to a question that nobody was asked: no command of this daemon leaves one.
  @Test func endlessWaitIsReportedAsDefect() async throws {
    try await withRig { rig in
      #expect(try await rig.daemon.stop() == .exit(0))
      let script = """
        import sqlite3, sys
        ledger = sqlite3.connect(sys.argv[1])
        ledger.execute("INSERT INTO gate VALUES ('storage.main', 'asking', 'question', 1, 4102444800000000, 999, 0, NULL)")
        ledger.commit()
        """
      let ledger = rig.setup.state.appending(path: "ledger.sqlite").path
      try await Command.require([try await Products.python.value, "-c", script, ledger])
      try await rig.daemon.start()
      let stuck = try await rig.drop("a.pdf", until: "queued")
      #expect(stuck.standstill.reason == "nothing" && stuck.standstill.ends == "nothing", "\(stuck.standstill)")
      let shown = try await rig.daemon.waybill("show", "1").output
      #expect(shown.contains("Now: nothing ends its wait (nobody is asked): this is a defect of Waybill"), "\(shown)")
      #expect(try rig.daemon.told("job 1 is queued at storage.main: nothing ends its wait") > 0)
    }
  }
}
