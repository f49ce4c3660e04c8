import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Questions of the same kind, answered together: by number, by their printed words, at the terminal.
@Suite(.slot)
struct GroupTests {
  /// Drops files that the backend refuses in words of its own for each kind: one to five files of kind 1 to 5.
  private func askAll(_ rig: Rig, kinds: Int, times: Int = 1) async throws {
    var total = try await rig.daemon.count("awaiting-confirmation")
    for kind in 1...kinds {
      let body = #"{"error":"invoice number \#(kind)00\#(kind) has reason \#(Self.words[kind - 1])"}"#
      try await rig.sandbox.fail([
        "register": ["status": .number(Double(Self.statuses[kind - 1])), "body": .string(body)]
      ])
      for number in 1...(kind * times) { try rig.drop("\(Self.words[kind - 1])-\(number).pdf") }
      total += kind * times
      try await until("\(total) questions") { try await rig.daemon.count("awaiting-confirmation") == total }
    }
  }

  private static let words = ["alpha", "beta", "gamma", "delta", "epsilon"]
  private static let statuses = [422, 409, 400, 422, 402]

  private func groups(_ rig: Rig, _ words: String...) async throws -> [JSONValue] {
    let command = try await rig.daemon.waybill(["list", "--by", "reason", "--json"] + words)
    return try JSONValue(parsing: command.output).groups.array
  }

  @Test func groupNumberAnswersThatGroupOnly() async throws {
    try await withRig { rig in
      try await askAll(rig, kinds: 3)
      let all = try await groups(rig)
      #expect(all.map(\.count.int) == [3, 2, 1] && all.allSatisfy { $0.group == $0.first_job }, "\(all)")
      let listed = try await rig.daemon.waybill("list", "--by", "reason", "--state", "awaiting-confirmation")
      #expect(listed.output.contains("waybill confirm --group"), "\(listed)")
      let gamma = try #require(all[0].group.int), beta = try #require(all[1].group.int)
      let dry = try await rig.daemon.waybill("cancel", "--group", "\(gamma)", "--dry-run")
      #expect(dry.output.contains("cancel would affect 3 jobs"), "\(dry)")
      // The numbers hold while groups before and behind are answered, and new jobs come.
      try await rig.drop("gamma-later.pdf", until: "awaiting-confirmation")
      let unseen = try await rig.daemon.waybill("cancel", "--group", "\(beta)")
      #expect(unseen.status == 64 && unseen.errors.contains("--yes"), "nobody has seen the group: \(unseen)")
      #expect(try await rig.daemon.waybill("cancel", "--group", "\(beta)", "--yes").output == "2 jobs cancelled\n")
      // What was shown goes with the answer: the one that came later is left.
      let shown = try #require(all[0].digest.string)
      let body = #"{"like":\#(gamma),"digest":"\#(shown)","reason":"not ours"}"#
      let more = try JSONValue(parsing: try await rig.daemon.control("POST", "/v1/jobs/cancel", body: body).body)
      #expect(more.done == 3 && more.left == ["awaiting-confirmation": 1], "\(more)")
      let late = try #require(try await groups(rig, "--name", "gamma-later").first?.group.int)
      #expect(try await rig.daemon.waybill("cancel", "--group", "\(late)", "--yes").output == "1 job cancelled\n")
      #expect(try await rig.daemon.count("awaiting-confirmation") == 1)
      #expect(try await rig.daemon.job(named: "alpha-1.pdf", in: "awaiting-confirmation").job.int != nil)
      let again = try await rig.daemon.waybill("confirm", "--group", "\(beta)", "--yes")
      #expect(again.status == 1 && again.errors.contains("2 jobs stay as they are: 2 cancelled"), "\(again)")
      let unknown = try await rig.daemon.waybill("confirm", "--group", "4711")
      #expect(unknown.status == 1 && unknown.errors.contains("There is no group 4711; "), "\(unknown)")
    }
  }

  /// A colleague retries the group's first job while somebody looks at the group: the job asks about something else then, as
  /// others do. The answer is for what was shown, and reaches none of them.
  @Test func outdatedGroupAnswerChangesNothing() async throws {
    try await withRig { rig in
      try await askAll(rig, kinds: 3)
      let beta = try #require(try await groups(rig).first { $0.count == 2 })
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
