import ChildProcesses
import Testing

@testable import Harness

/// A destination that is back before its gate knows.
@Suite(.slot)
struct ProbeTests {
  @Test func resumeProbesEarly() async throws {
    let down: JSONValue = ["register": ["status": 503, "retry_after": 600]]
    try await withRig(faults: down, { $0.concurrency = 1 }) { rig in
      try await rig.drop("a.pdf", until: "aborted")
      try rig.drop("b.pdf")
      try await until("b.pdf to be held") { try await rig.daemon.job(2).held_by.reason == "unavailable" }
      try await rig.sandbox.recover()
      let other = try await rig.daemon.waybill("resume", "--storage", "main")
      #expect(other.output == "storage.main was not paused\n", "another destination's gate is its own")
      let resumed = try await rig.daemon.waybill("resume", "--backend", "main")
      #expect(resumed.status == 0 && resumed.output == "backend.main is tried at once\n", "\(resumed)")
      try await rig.daemon.job(named: "b.pdf", in: "registered")
      #expect(try await rig.daemon.status().gates.array.isEmpty)
    }
  }
}
