import ChildProcesses
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
    let body = NoticeQueue.Batch(number: 1, notices: notices, leftOut: 0).body(host: "scan1")
    return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
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

  /// What is signed is ID.TIMESTAMP.BODY: a dot in the id would let one text stand for two (Standard Webhooks, "Signature
  /// scheme"), and a host's name may have some.
  @Test func requestIDContainsNoDot() {
    let batch = NoticeQueue.Batch(number: 7, notices: [], leftOut: 0)
    #expect(batch.id(host: "scan1.example.com", mark: "abc") == "waybill-scan1-example-com-abc-7")
  }
}
