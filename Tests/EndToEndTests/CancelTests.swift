import ChildProcesses
import Testing

@testable import Harness

/// Jobs beside one that fails.
@Suite(.slot)
struct CancelTests {
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
