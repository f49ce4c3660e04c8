import ChildProcesses
@testable import ControlAPI
import Foundation
import Jobs
import MessageLiterals
import Messages
import Settings
import Testing

@testable import Reports

/// The requests to receivers of notices: their body and their id.
@Suite struct NoticeBodyTests {
  private func members(_ notices: [Notice]) throws -> [String: Any] {
    let body = NoticeBody(host: "scan1", notices: notices, leftOut: 0)
    return try #require(try JSONSerialization.jsonObject(with: Data(ControlJSON.encode(body))) as? [String: Any])
  }

  @Test func schemaListsMembersIncludingNull() throws {
    let schema = try SchemaFile("webhook")
    let members = try members([Notice("problem", .problem, at: Timestamp(seconds: 1), message: "m")])
    #expect(try schema.members(schema.root).keys.sorted() == members.keys.sorted())
    #expect(try schema.required(schema.root) == Set(members.keys))
    let notice = try #require((members["notices"] as? [[String: Any]])?.first)
    #expect(notice["job"] is NSNull && notice["remedy"] is NSNull && notice["message"] as? String == "m")
    let part = try schema.definition("notice")
    #expect(try schema.members(part).keys.sorted() == notice.keys.sorted())
    #expect(try schema.required(part) == Set(notice.keys))
  }

  @Test func schemaListsWebhookEvents() throws {
    let schema = try SchemaFile("webhook")
    let events = try #require(try schema.members(try schema.definition("notice"))["event"])
    #expect(
      try schema.words(events) == [
        "question", "aborted", "gate-closed", "gate-opened", "problem", "problem-over", "summary",
      ])
  }

  /// A summary has what the schema says, and names no more reasons and problems than a person reads.
  @Test func summaryCountsAndNamesReasons() throws {
    let group = ReasonGroup(
      group: 1, count: 57, state: .awaitingConfirmation, step: .register, kind: "rejected", status: 422,
      reason: "HTTP 422: number … is taken", reasonSaid: nil, first: 1, digest: nil)
    let problem = ProblemMessage(
      what: "no directory /srv/x", since: MessageTime(Timestamp(seconds: 1)), remedy: nil)
    let standing = DailySummary.Standing(
      phases: [.waiting: 12, .needsYou: 57], reasons: Array(repeating: group, count: 9),
      problems: Array(repeating: problem, count: 9))
    let notice = Notice(
      at: Timestamp(seconds: 90_000), since: Timestamp(seconds: 3600), .init(jobs: 1204, bytes: 3 << 30), standing)
    #expect(notice.event == "summary" && notice.topic == .summary)
    #expect(
      notice.message
        == "Registered since 1970-01-01T01:00:00Z: 1204 (3 GiB). Now waiting: 12, working: 0, needs you: 57, stopped: 0, problems: 9"
    )
    #expect(notice.remedy == "waybill list --state needs-you,stopped")
    let told = try #require((members([notice])["notices"] as? [[String: Any]])?.first)
    let summary = try #require(told["summary"] as? [String: Any])
    let schema = try SchemaFile("webhook")
    let part = try schema.definition("summary")
    #expect(try schema.members(part).keys.sorted() == summary.keys.sorted())
    #expect(try schema.required(part) == Set(summary.keys))
    #expect(summary["registered"] as? Int == 1204 && summary["bytes"] as? Int64 == 3 << 30)
    #expect(summary["since"] as? String == "1970-01-01T01:00:00.000Z")
    #expect(
      (summary["phases"] as? [String: Int]) == ["waiting": 12, "working": 0, "needs-you": 57, "stopped": 0, "done": 0])
    let reasons = try #require(summary["reasons"] as? [[String: Any]])
    #expect(reasons.count == 5 && reasons[0]["jobs"] as? Int == 57 && reasons[0]["reason_said"] is NSNull)
    #expect((summary["problems"] as? [String]) == Array(repeating: "no directory /srv/x", count: 5))
    #expect(told["job"] is NSNull && notice.size > 500)
  }

  /// It is a sign of life: a quiet day has one too, with nothing to do.
  @Test func quietSummaryAsksNobody() {
    let notice = Notice(
      at: Timestamp(seconds: 2), since: Timestamp(seconds: 1), .init(),
      DailySummary.Standing(phases: [.done: 7], reasons: [], problems: []))
    #expect(
      notice.remedy == nil && notice.message.hasPrefix("Registered since 1970-01-01T00:00:01Z: 0 (0 bytes)."),
      "\(notice.message)")
  }

  /// What is signed is ID.TIMESTAMP.BODY: a dot in the id would let one text stand for two (Standard Webhooks, "Signature
  /// scheme"), and a host's name may have some.
  @Test func requestIDContainsNoDot() {
    let batch = NoticeQueue.Batch(number: 7, notices: [], leftOut: 0)
    #expect(batch.id(host: "scan1.example.com", mark: "abc") == "waybill-scan1-example-com-abc-7")
  }
}
