import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The webhooks, against a receiver that writes down what it gets.
@Suite(.slot)
struct NotifyTests {
  private func withReceiver(
    _ sections: (NoticeReceiver) -> String, _ body: (Rig, NoticeReceiver) async throws -> Void
  ) async throws {
    try await withRig(starting: false) { rig in
      let receiver = try NoticeReceiver(in: rig.folder)
      var setup = rig.setup
      setup.furtherSpools = sections(receiver)
      try setup.write()
      try await rig.daemon.start()
      try await body(rig, receiver)
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

  @Test func receiversAreToldAgainAndChangeByReload() async throws {
    try await withReceiver({ _ in "" }) { rig, receiver in
      try await rig.sandbox.fail(["register": ["status": 422]])
      let reload = try await rig.reload { $0.furtherSpools = "[webhook.a]\nurl = \"\(receiver.url)/a\"" }
      #expect(reload.output.contains("webhook.a"), "\(reload)")
      // That it takes nothing is a problem after three failures, until it takes the same request.
      receiver.answers("500")
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let problem = try await until("a problem") { try await rig.daemon.status().problems.array.first }
      #expect(problem.what == .string("notices to \(receiver.url) fail: it answered HTTP 500"), "\(problem)")
      receiver.answers("200")
      try await until("no problem") { try await rig.daemon.status().problems.array.isEmpty }
      #expect(Set(receiver.requests("/a").map(\.body.string)).count == 1)
      try await rig.reload { $0.furtherSpools = "[webhook.b]\nurl = \"\(receiver.url)/b\"" }
      let count = receiver.requests("/a").count
      try rig.drop("b.pdf")
      try await receiver.got("/b") { $0.body.string?.contains("b.pdf") == true }
      #expect(receiver.requests("/a").count == count)
    }
  }
}
