import ChildProcesses
import Foundation
import LoopbackPeer
import Testing

@testable import Harness

/// `waybill check --probe` at servers that answer as no honest one does: it comes to an end with a word about each, shows
/// nothing raw, tells no secret, and goes nowhere else.
@Suite(.slot, .bounded)
struct HostileProbeTests {
  /// One command tries its destinations one by one, and some of these take seconds.
  private static let parts = 6

  @Test(arguments: HostileAnswer.Side.allCases, 0..<parts)
  func probeReportsEachHostileServer(_ side: HostileAnswer.Side, _ part: Int) async throws {
    let answers = HostileAnswer.all(of: side).enumerated().filter { $0.offset % Self.parts == part }.map(\.element)
    let elsewhere = try LoopbackPeer { _ in .answer(200) }
    let peer = try HostileAnswer.peer(answers, elsewhere: elsewhere.url)
    try await withRig(
      starting: false,
      { setup in
        try setup.hostile(answers, side, peer, timeout: "1s", stall: "150ms")
      }
    ) { rig in
      let check = try await rig.daemon.waybill("check", "--probe", "--config", rig.setup.config.path)
      #expect(check.status == 78, "\(check)")
      RawText.expectNone(check.output, "output")
      RawText.expectNone(check.errors, "errors")
      for answer in answers {
        let section = "\(side == .backend ? "backend" : "storage").\(answer.name) "
        #expect(check.output.contains(section), "\(section) in \(check.output)")
      }
      #expect(check.output.split(separator: "\n").allSatisfy { $0.utf8.count < 3000 })
      for secret in ["root:", "secret-of-the-server", rig.setup.storage.secretKey] {
        #expect(!check.output.contains(secret), "\(secret)")
      }
      #expect(elsewhere.requests.isEmpty)
      #expect(peer.requests.allSatisfy { $0["X-Evil"] == nil })
    }
  }
}
