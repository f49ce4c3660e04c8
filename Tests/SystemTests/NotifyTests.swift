import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The webhooks, against a receiver that writes down what it gets.
@Suite(.slot)
struct NotifyTests {
  private typealias Receiver = NoticeReceiver

  private func withReceiver(
    _ sections: (Receiver) -> String, _ body: (Rig, Receiver) async throws -> Void
  ) async throws {
    try await withRig(starting: false) { rig in
      let receiver = try Receiver(in: rig.folder)
      var setup = rig.setup
      setup.furtherSpools = sections(receiver)
      try setup.write()
      try await rig.daemon.start()
      try await body(rig, receiver)
    }
  }

  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  @Test func noticesAreSignedBatchedAndFiltered() async throws {
    try await withReceiver({ receiver in
      let secret = receiver.folder.appending(path: "hook-secret").path
      try? Self.secret.write(toFile: secret, atomically: true, encoding: .utf8)
      try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
      return """
        [webhook.all]
        url = "\(receiver.url)/all"
        signing_secret = { file = "\(secret)" }
        token = { file = "\(secret)" }

        [webhook.aborted]
        url = "\(receiver.url)/aborted"
        events = ["aborted"]
        """
    }) { rig, receiver in
      try await rig.sandbox.fail(["register": ["status": 422, "body": #"{"error":"invoice is taken"}"#]])
      try await rig.drop("first.pdf", until: "awaiting-confirmation")
      let request = try await receiver.got("/all")
      #expect(request.method == "POST" && request.headers["content-type"] == "application/json")
      #expect(request.headers.authorization == .string("Bearer \(Self.secret)"))
      #expect(request.headers["webhook-signature"].string?.hasPrefix("v1,") == true, "\(request)")

      let first = try JSONValue(parsing: request.body.string ?? "").notices.array[0]
      #expect(first.event == "question" && first.job == 1 && first.file == "first.pdf", "\(first)")
      #expect(first.destination == "backend.main" && first.reason == "HTTP 422: invoice is taken", "\(first)")
      #expect(first.remedy == "waybill confirm 1, or waybill cancel 1")

      // Those that follow within ten seconds come together. The answers come at once.
      let held: JSONValue = ["status": 422, "body": #"{"error":"invoice is taken"}"#, "hold": true]
      try await rig.sandbox.fail(["register": held])
      for number in 1...5 { try rig.drop("\(number).pdf") }
      try await rig.sandbox.receives("register", 6)
      try await rig.sandbox.recover()
      try await until("5 more") { try receiver.notices("/all").count == 6 }
      #expect(receiver.requests("/all").count <= 3)
      let ids = Set(receiver.requests("/all").map { $0.headers["webhook-id"].string ?? "" })
      #expect(ids.count == receiver.requests("/all").count)

      try await rig.sandbox.fail(["register": ["status": 503]])
      try await rig.drop("last.pdf", until: "aborted")
      let aborted = try await receiver.got("/aborted")
      #expect(try JSONValue(parsing: aborted.body.string ?? "").notices.array.map(\.event) == ["aborted"])
      try await until("the gate") { try receiver.notices("/all").contains { $0.event == "gate-closed" } }
    }
  }

  @Test func retriesSameNoticeUntilDelivered() async throws {
    try await withReceiver({ "[webhook.ops]\nurl = \"\($0.url)/ops\"" }) { rig, receiver in
      receiver.answers("500")
      try await rig.sandbox.fail(["register": ["status": 422]])
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let problem = try await until("a problem after three failures") {
        try await rig.daemon.status().problems.array.first
      }
      #expect(problem.what == .string("notices to \(receiver.url) fail: it answered HTTP 500"), "\(problem)")
      #expect(try rig.daemon.errorText.contains("webhook.ops: notices to"))
      receiver.answers("200")
      try await until("it to be delivered") { try receiver.notices("/ops").contains { $0.event == "question" } }
      let requests = receiver.requests("/ops").filter { $0.body.string?.contains("\"question\"") == true }
      #expect(
        Set(requests.map { $0.headers["webhook-id"].string ?? $0.body.string ?? "" }).count == 1, "the same request")
      try await until("no problem") { try await rig.daemon.status().problems.array.isEmpty }
    }
  }

  @Test func hungReceiverDelaysNoJob() async throws {
    try await withReceiver({ "[webhook.ops]\nurl = \"\($0.url)/ops\"" }) { rig, receiver in
      receiver.answers("hang")
      try await rig.sandbox.fail(["register": ["status": 422]])
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      try await receiver.got("/ops")
      try await rig.sandbox.recover()
      for number in 1...50 { try rig.drop("\(number).pdf") }
      try await until("50 registered") { try await rig.daemon.count("registered") == 50 }
      // Nor does the daemon's end.
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }

  @Test func reloadChangesReceivers() async throws {
    try await withReceiver({ _ in "" }) { rig, receiver in
      try await rig.sandbox.fail(["register": ["status": 422]])
      let reload = try await rig.reload { $0.furtherSpools = "[webhook.a]\nurl = \"\(receiver.url)/a\"" }
      #expect(reload.output.contains("webhook.a"), "\(reload)")
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      try await receiver.got("/a")
      try await rig.reload { $0.furtherSpools = "[webhook.b]\nurl = \"\(receiver.url)/b\"" }
      let count = receiver.requests("/a").count
      try rig.drop("b.pdf")
      try await receiver.got("/b") { $0.body.string?.contains("b.pdf") == true }
      #expect(receiver.requests("/a").count == count)
    }
  }
}
