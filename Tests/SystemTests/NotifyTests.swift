import ChildProcesses
import Testing

@testable import Harness

/// The webhooks, against a receiver that never answers.
@Suite(.slot)
struct NotifyTests {
  @Test func hungReceiverDelaysNoJob() async throws {
    try await withRig(starting: false) { rig in
      let receiver = try NoticeReceiver(in: rig.folder)
      receiver.answers("hang")
      var setup = rig.setup
      setup.furtherSpools = "[webhook.ops]\nurl = \"\(receiver.url)/ops\""
      try setup.write()
      try await rig.daemon.start()
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
