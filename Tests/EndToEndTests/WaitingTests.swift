import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Jobs that wait for the network or a key at a backend that has another trouble once it is back. No other file comes: nothing
/// but them is left to find out that the backend is well.
@Suite(.slot)
struct WaitingTests {
  private enum Cause: CaseIterable { case refusedConnection, refusedKey }
  private enum Trouble: CaseIterable { case unavailable, unavailableAndRestart, questionThatIsCancelled }

  /// One case of three; others with other seeds, all with `WAYBILL_TEST_ALL=1`.
  private static let cases = Seeds.share(
    Cause.allCases.flatMap { cause in Trouble.allCases.map { (cause, $0) } }, of: 3)

  @Test(arguments: cases)
  private func allJobsResumeOnceBackendRecovers(_ cause: Cause, _ trouble: Trouble) async throws {
    let port = Ports.free()
    let refuses: JSONValue? = cause == .refusedKey ? ["register": ["status": 401]] : nil
    try await withRig(
      faults: refuses, { if cause == .refusedConnection { $0.backend = Sandbox.backend(port: port) } }
    ) { rig in
      // All begin at once, so that all are refused.
      try await hold(rig)
      for number in 1...4 { try rig.drop("\(number).pdf") }
      try await until("all to be uploaded") {
        try await rig.daemon.jobs().count { $0.step == "register" && $0.state == "queued" } == 4
      }
      try await letGo(rig)
      let state = cause == .refusedKey ? "awaiting-credentials" : "awaiting-network"
      try await until("all to wait") { try await rig.daemon.count(state) == 4 }

      try await hold(rig)
      let other =
        cause == .refusedConnection
        ? try await Sandbox(in: rig.folder.appending(path: "outside"), port: port) : nil
      defer { other?.cut() }
      let backend = other ?? rig.sandbox
      let answer: JSONValue =
        trouble == .questionThatIsCancelled ? ["status": 404] : ["status": 503, "retry_after": 2, "times": 1]
      try await backend.fail(["register": answer])
      try await letGo(rig)
      if trouble == .questionThatIsCancelled {
        try await until("one to ask") { try await rig.daemon.count("awaiting-confirmation") == 1 }
        try await backend.recover()
        let asking = try #require(try await rig.daemon.jobs().first { $0.state == "awaiting-confirmation" }?.job.int)
        #expect(try await rig.daemon.waybill("cancel", String(asking)).status == 0)
      } else {
        try await until("one to be aborted") { try await rig.daemon.count("aborted") == 1 }
        if trouble == .unavailableAndRestart {
          #expect(try await rig.daemon.stop() == .exit(0))
          try await rig.daemon.start()
        }
      }
      try await until("the three others to be registered") { try await rig.daemon.count("registered") == 3 }
      #expect(try await rig.daemon.status().gates.array.isEmpty)
      #expect(try backend.registrations().count == 3)
    }
  }

  private func hold(_ rig: Rig) async throws {
    #expect(try await rig.daemon.waybill("pause", "--backend", "main").status == 0)
  }

  /// Resumes the backend. If its gate is closed, one job probes at once.
  private func letGo(_ rig: Rig) async throws {
    #expect(try await rig.daemon.waybill("resume", "--backend", "main").status == 0)
  }
}
