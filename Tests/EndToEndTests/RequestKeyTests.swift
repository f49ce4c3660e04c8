import ChildProcesses
import Linux
import Testing

@testable import Harness

/// A command with an `Idempotency-Key` acts once, whenever the daemon ends.
@Suite(.slot)
struct RequestKeyTests {
  private static let refused: JSONValue = ["upload": ["status": 400, "code": "KeyTooLongError"]]

  private func confirm(_ daemon: Daemon, key: String) async throws -> HTTPAnswer {
    try await HTTPAnswer.call(
      "POST", "http://localhost/v1/jobs/1/confirm", body: "{}",
      options: ["--unix-socket", daemon.socket, "-H", "Idempotency-Key: \(key)"])
  }

  private func confirmations(_ daemon: Daemon) async throws -> Int {
    try await daemon.job(1).history.array.count { $0.event == "confirmed" }
  }

  @Test func keyedAnswerSurvivesRestart() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let first = try await confirm(rig.daemon, key: "k")
      #expect(first.status == 200)
      try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      let again = try await confirm(rig.daemon, key: "k")
      #expect(again.status == 200 && again.body == first.body)
      #expect(try await confirmations(rig.daemon) == 1)
      #expect(try await confirm(rig.daemon, key: "other").status == 200)
      #expect(try await confirmations(rig.daemon) == 2)
    }
  }

  @Test(.needs(.failpoints)) func crashReportsUnknownOutcome() async throws {
    try await withRig(faults: Self.refused) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start(environment: Failpoint.answerCommitted.variable())
      #expect(try await confirm(rig.daemon, key: "k").status == 0)
      try await rig.daemon.start()
      let again = try await confirm(rig.daemon, key: "k")
      #expect(try again.status == 409 && again.json.code == "outcome-unknown", "\(again)")
      #expect(try await confirmations(rig.daemon) == 1)
    }
  }
}
