import ChildProcesses
import Testing

@testable import Harness

/// The operator's no, and jobs beside one that fails.
@Suite(.slot)
struct CancelTests {
  @Test(arguments: ["upload", "register"])
  func cancelCutsRequestInFlight(step: String) async throws {
    try await withRig(faults: [step: ["hold": true]], { $0.waitForServers() }) { rig in
      try rig.drop("a.pdf")
      try await rig.sandbox.receives(step)
      #expect(try await rig.daemon.status().activity[step] == 1)
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      let job = try await rig.daemon.job(named: "a.pdf", in: "cancelled")
      #expect(job.existingPath != nil)
      try await until("nothing to be in flight") { try await rig.daemon.status().activity[step] == 0 }
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  @Test func failedJobStopsNoOther() async throws {
    // The unavailable one comes last: what it closes is none of this test's.
    let faults: JSONValue = ["upload": ["statuses": [599, 422, 200, 503], "retry_after": 1]]
    try await withRig(faults: faults, { $0.concurrency = 1 }) { rig in
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      let refused = try await rig.drop("refused.pdf", until: "awaiting-confirmation")
      #expect(refused.error.kind == "rejected")
      #expect(refused.error.status == 422)
      try await rig.drop("well.pdf", until: "registered")
      try await rig.drop("aborted.pdf", until: "aborted")
      #expect(
        try await rig.daemon.jobs().map(\.state) == [
          "awaiting-confirmation", "awaiting-confirmation", "registered", "aborted",
        ])
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "asks.pdf", in: "registered")
    }
  }
}
