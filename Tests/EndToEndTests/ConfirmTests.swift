import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a person's yes leads to, and what comes of the delays before anyone is asked.
@Suite(.slot)
struct ConfirmTests {
  @Test(arguments: ["upload", "register"])
  func confirmAfterRecoveryRegisters(step: String) async throws {
    try await withRig(faults: [step: ["status": 599]]) { rig in
      let asked = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(asked.step.string == step)
      try await rig.sandbox.recover()
      let confirm = try await rig.daemon.waybill("confirm", "1")
      #expect(confirm.status == 0, "\(confirm.errors)")
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(job.id == asked.id)
      #expect(job.question.isNull)
      #expect(try await rig.sandbox.count("upload") == (step == "upload" ? 2 : 1))
      #expect(try await rig.sandbox.count("register") == (step == "register" ? 2 : 1))
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  @Test func secondAttemptHasNewSignature() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let first = try #require(try await rig.sandbox.recorded("upload").first)
      // Signatures are of a second; in the next one the same request has another.
      try await until("the next second") { Self.now() > first.x_amz_date.string ?? "" }
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      let second = try #require(try await rig.sandbox.recorded("upload").last)
      #expect(second.status == 200)
      #expect((second.x_amz_date.string ?? "") > (first.x_amz_date.string ?? "z"))
      #expect(second.authorization.string != first.authorization.string)
      #expect(second.target == first.target, "the key is fixed at admission")
    }
  }

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

  @Test func secondConfirmConflicts() async throws {
    try await withRig(faults: ["upload": ["statuses": [599]]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      let again = try await rig.daemon.waybill("confirm", "1")
      #expect(again.status == 1)
      #expect(again.errors.contains("registered"))
      let answer = try await rig.daemon.control("POST", "/v1/jobs/1/confirm")
      #expect(answer.status == 409)
      #expect(answer.contentType.hasPrefix("application/problem+json"))
      let problem = try answer.json
      #expect(problem.status == 409)
      #expect(problem.state == "registered")
      #expect(problem.revision.int ?? 0 >= job.revision.int ?? .max)
      for member in ["type", "title", "detail"] { #expect(problem[member].string != nil) }
      #expect(try rig.sandbox.registrations().count == 1)
    }
  }

  @Test(arguments: ["upload", "register"])
  func exhaustedDelaysEndInQuestion(step: String) async throws {
    try await withRig(faults: [step: ["status": 599]], { $0.delays = ["100ms", "200ms"] }) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(job.attempt == 3)
      #expect(try await rig.sandbox.count(step) == 3)
      let show = try await rig.daemon.waybill("show", "1", "--json")
      let attempts = try JSONValue(parsing: show.output).attempts.array.filter { $0.step.string == step }
      #expect(attempts.map(\.attempt) == [1, 2, 3])
      #expect(attempts.map(\.outcome) == ["failed", "failed", "failed"])
      #expect(attempts.allSatisfy { $0.error.status == 599 })
      let events = job.history.array.compactMap(\.event.string)
      #expect(events.filter { $0 == "deferred" }.count == 2)
      #expect(events.filter { $0 == "question" }.count == 1)
    }
  }

  @Test(arguments: ["upload", "register"])
  func retriesPassingFailureWithoutQuestion(step: String) async throws {
    try await withRig(faults: [step: ["statuses": [599, 200]]], { $0.delays = ["100ms"] }) { rig in
      let job = try await rig.drop("a.pdf", until: "registered")
      #expect(!job.history.array.contains { $0.event == "question" })
      #expect(try await rig.sandbox.count(step) == 2)
    }
  }

  /// The present second as `x-amz-date` has it.
  private static func now() -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: Date())
    let date = String(format: "%04d%02d%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    return date + String(format: "T%02d%02d%02dZ", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
  }
}
