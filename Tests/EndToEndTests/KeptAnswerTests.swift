import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The beginning of the answer that failed stays with the job until it goes on.
@Suite(.slot)
struct KeptAnswerTests {
  private static let body = #"{"error":"invoice is taken","trace":"at line 7"}"#

  @Test func answerIsShownAndSurvivesRestart() async throws {
    try await withRig(faults: ["register": ["status": 422, "body": .string(Self.body)]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      for isKilled in [false, true] {
        let job = try await rig.daemon.job(1)
        #expect(job.error.message == "HTTP 422: invoice is taken")
        #expect(job.error.answer.string == Self.body)
        #expect(job.attempts.array.last?.error.answer.string == Self.body)
        #expect(try await rig.daemon.jobs().first?.error.answer.isNull == true, "lists are short")
        let shown = try await rig.daemon.waybill("show", "1").output
        #expect(shown.contains("Start of the answer\n  {\"error\""), "\(shown)")
        if isKilled { try await rig.daemon.kill() } else { #expect(try await rig.daemon.stop() == .exit(0)) }
        try await rig.daemon.start()
      }
      #expect(try await rig.sandbox.count("register") == 1, "nobody but a person answers a question")
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered", after: "awaiting-confirmation")
      #expect(job.error.answer.isNull, "\(job)")
    }
  }

  @Test func hidesEchoedSecret() async throws {
    let token = "a-token-of-ours"
    try await withRig(
      faults: ["register": ["status": 422, "body": .string("{\"error\":\"no right for \(token)\"}")]], starting: false
    ) {
      let file = $0.folder.appending(path: "token")
      $0.backendLines = ["token = { file = \"\(file.path)\" }"]
    } _: { rig in
      try token.write(to: rig.setup.folder.appending(path: "token"), atomically: true, encoding: .utf8)
      try await rig.daemon.start()
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let answer = try await rig.daemon.control("GET", "/v1/jobs/1").body
      #expect(answer.contains("no right for [secret]"), "\(answer)")
      #expect(!answer.contains(token))
    }
  }
}
