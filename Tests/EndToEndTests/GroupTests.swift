import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Questions of the same kind, answered together.
@Suite(.slot)
struct GroupTests {
  /// Drops files that the backend refuses in words of its own for each kind: one file of kind 1, two of kind 2, and so on.
  private func askAll(_ rig: Rig) async throws {
    var total = 0
    for kind in 1...3 {
      let body = #"{"error":"invoice number \#(kind)00\#(kind) has reason \#(Self.words[kind - 1])"}"#
      try await rig.sandbox.fail([
        "register": ["status": .number(Double(Self.statuses[kind - 1])), "body": .string(body)]
      ])
      for number in 1...kind { try rig.drop("\(Self.words[kind - 1])-\(number).pdf") }
      total += kind
      try await until("\(total) questions") { try await rig.daemon.count("awaiting-confirmation") == total }
    }
  }

  private static let words = ["alpha", "beta", "gamma"]
  private static let statuses = [422, 409, 400]

  /// A colleague retries the group's first job while somebody looks at the group: the job asks about something else then, as
  /// others do. The answer is for what was shown, and reaches none of them.
  @Test func outdatedGroupAnswerChangesNothing() async throws {
    try await withRig { rig in
      try await askAll(rig)
      let listed = try await rig.daemon.waybill("list", "--by", "reason", "--json").output
      let beta = try #require(try JSONValue(parsing: listed).groups.array.first { $0.count == 2 })
      let number = try #require(beta.group.int), digest = try #require(beta.digest.string)
      try await rig.sandbox.fail([
        "register": ["status": 400, "body": #"{"error":"invoice number 3003 has reason gamma"}"#]
      ])
      let revision = try await rig.daemon.job(number).revision
      #expect(try await rig.daemon.waybill("retry", "\(number)").status == 0)
      try await until("the new question") {
        let job = try await rig.daemon.job(number)
        return job.state == "awaiting-confirmation" && job.revision != revision
      }
      for command in ["cancel", "confirm", "retry"] {
        let body = #"{"like":\#(number),"digest":"\#(digest)"}"#
        let called = try await rig.daemon.control("POST", "/v1/jobs/\(command)", body: body)
        let problem = try JSONValue(parsing: called.body)
        #expect(called.status == 409 && problem.group.count == 4 && problem.group.digest.string != digest, "\(called)")
        #expect(problem.detail.string?.contains("nothing was changed; jobs in it now: 4") == true, "\(called)")
      }
      #expect(try await rig.daemon.count("awaiting-confirmation") == 6)
    }
  }
}
