import ChildProcesses
import LoopbackPeer
import Testing

@testable import Harness

/// A server's words where a person answers questions, at a real terminal.
@Suite(.slot)
struct HostileQuestionTests {
  @Test(.needs(.tmux)) func questionEscapesTerminalControls() async throws {
    let backend = try LoopbackPeer { _ in
      .answer(422, ["Content-Type": "application/json"], "{\"error\":\"\(HostileText.evilJSON)\"}")
    }
    try await withRig({ $0.backend = backend.url }) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      try await rig.withTerminal(columns: 180) { screen in
        try await screen.run("$waybill ask")
        try await screen.shows(
          #"Registration of a.pdf failed: HTTP 422: \x00a\x1b[2J\x1b]52;c;ZXZpbA==\x07\u{9b}31m\u{202e}\u{2066}\u{2028}\n\r\nend"#
        )
        try await screen.type("q")
        #expect(try await screen.ended() == 0)
      }
    }
  }
}
