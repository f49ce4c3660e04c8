import ChildProcesses
import Testing

@testable import Harness

/// What a person's yes leads to.
@Suite(.slot)
struct ConfirmTests {
  @Test func secondRegistrationRepeatsKeyAndBytes() async throws {
    try await withRig(faults: ["register": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      // Now it counts, but every answer is lost; afterwards the backend knows the key.
      try await rig.sandbox.fail(["register": ["cut": "after"]])
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await until("the second question") {
        let job = try await rig.daemon.job(1)
        return job.state == "awaiting-confirmation" && job.attempt == 2
      }
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      let keys = try await rig.sandbox.recorded("register").map(\.idempotency_key.string)
      #expect(keys.count >= 3)
      #expect(Set(keys) == ["\"\(job.id.string ?? "")\""])
      let registrations = try await rig.sandbox.state().registrations
      #expect(registrations.lines == 1)
      #expect(registrations.replayed.int ?? 0 >= 1)
      #expect(registrations.mismatched == 0)
    }
  }
}
