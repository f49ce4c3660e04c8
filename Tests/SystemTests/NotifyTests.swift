import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The ping and the webhooks, against a receiver that writes down what it gets.
@Suite(.slot)
struct NotifyTests {
  private typealias Receiver = NoticeReceiver

  private func withReceiver(
    _ sections: (Receiver) -> String, _ body: (Rig, Receiver) async throws -> Void
  ) async throws {
    try await withRig(starting: false, { $0.constants["ping_every"] = "\"1s\"" }) { rig in
      let receiver = try Receiver(in: rig.folder)
      var setup = rig.setup
      setup.furtherSpools = sections(receiver)
      try setup.write()
      try await rig.daemon.start()
      try await body(rig, receiver)
    }
  }

  @Test func pingsWhileHealthy() async throws {
    try await withReceiver({ "[notify]\nping = \"\($0.url)/ping/uuid?rid=1\"" }) { rig, receiver in
      let ping = try await receiver.got("/ping/uuid?rid=1", after: 1)
      #expect(ping.method == "GET" && ping.headers["user-agent"].string?.hasPrefix("waybill/") == true)

      try await rig.sandbox.fail(["register": ["status": 422]])
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      try await receiver.falls(silent: "/ping/uuid?rid=1")
      let pings = receiver.requests("/ping/uuid?rid=1").count
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      try await receiver.got("/ping/uuid?rid=1", after: pings)

      // That nobody takes the ping is seen in the status alone, and is over when somebody does.
      receiver.answers("503")
      let problem = try await until("a problem") { try await rig.daemon.status().problems.array.first }
      #expect(problem.what == .string("the ping to \(receiver.url) fails: it answered HTTP 503"), "\(problem)")
      receiver.answers("200")
      try await until("no problem") { try await rig.daemon.status().problems.array.isEmpty }
    }
  }

  @Test func hungReceiverDelaysNoJob() async throws {
    try await withReceiver({
      "[notify]\nping = \"\($0.url)/ping\"\n\n[webhook.ops]\nurl = \"\($0.url)/ops\""
    }) { rig, receiver in
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
}
