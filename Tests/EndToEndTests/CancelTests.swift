import ChildProcesses
import Foundation
import Linux
import Testing

@testable import Harness

/// The operator's no, the 503 that asks nobody, and the retry after either.
@Suite(.slot)
struct CancelTests {
  @Test(arguments: [("upload", "Upload"), ("register", "Registration")])
  func cancelKeepsFileAndRetryResumes(step: String, noun: String) async throws {
    try await withRig(faults: [step: ["status": 599]]) { rig in
      let user = try await OwnUser.name
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let cancel = try await rig.daemon.waybill("cancel", "1", "--reason", "sent by post")
      #expect(cancel.status == 0, "\(cancel.errors)")
      #expect(cancel.output.contains("\(noun) of a.pdf cancelled by \(user)"))
      let job = try await rig.daemon.job(named: "a.pdf", in: "cancelled")
      #expect(job.existingPath != nil)
      #expect(job.question.isNull)
      #expect(job.step.string == step)
      let line = try #require(job.history.array.last { $0.event == "cancelled" })
      #expect(line.by_user.string == user)
      #expect(line.reason == "sent by post")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try await rig.sandbox.count("upload") == (step == "upload" ? 2 : 1))
    }
  }

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

  /// The attempt is committed, and nothing of it is in flight that a cancel could cut.
  @Test(.needs(.failpoints), arguments: [("upload", 1), ("register", 2)])
  func cancelStopsAttemptJustBegun(step: String, turn: Int) async throws {
    try await withRig(starting: false) { rig in
      let goesOn = rig.folder.appending(path: "goes-on")
      try await rig.daemon.start(environment: Failpoint.attemptBegun.variable(turn: turn, until: goesOn))
      let child = try rig.daemon.child()
      try rig.drop("a.pdf")
      try await until("the attempt to begin") { Failpoint.met(by: child) == .attemptBegun }
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      try Data().write(to: goesOn)
      try await rig.drop("b.pdf", until: "registered")
      #expect(try await rig.daemon.job(named: "a.pdf", in: "cancelled").step.string == step)
      #expect(try rig.sandbox.registrations().map(\.body.name.string) == ["b.pdf"])
      #expect(try await rig.sandbox.count("upload") == turn, "that of b.pdf, and of a.pdf only if it was stored before")
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
    }
  }

  /// Even where there are delays to spend.
  @Test(arguments: ["upload", "register"])
  func unavailableAbortsAtOnceUntilRetry(step: String) async throws {
    try await withRig(faults: [step: ["status": 503, "retry_after": 1]], { $0.delays = ["50ms", "50ms"] }) { rig in
      let job = try await rig.drop("a.pdf", until: "aborted")
      #expect(job.step.string == step)
      #expect(job.attempt == 1)
      #expect(!job.history.array.contains { $0.event == "question" || $0.event == "deferred" })
      let confirm = try await rig.daemon.waybill("confirm", "1")
      #expect(confirm.status == 1, "an aborted job is not waiting for an answer")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("retry", "1").status == 0)
      let done = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(done.id == job.id)
      #expect(try await rig.sandbox.count("upload") == (step == "upload" ? 2 : 1))
      #expect(try await rig.sandbox.count("register") == (step == "register" ? 2 : 1))
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
