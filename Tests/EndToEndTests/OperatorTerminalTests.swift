import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill ask` and tables at a real terminal.
@Suite(.slot, .needs(.tmux))
struct OperatorTerminalTests {
  @Test func asksQuestionsInTurn() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      for name in ["a.pdf", "b.pdf", "c.pdf"] { try await rig.drop(name, until: "awaiting-confirmation") }
      try await rig.withTerminal { screen in
        func answer(_ line: String, after questions: Int) async throws {
          // What is typed before the question stands there is thrown away.
          try await screen.shows("q)uit, ?:", times: questions)
          try await screen.type(line)
          try await screen.press("Enter")
        }
        try await screen.run("$waybill ask")
        try await screen.shows("Job 1: a.pdf")
        try await screen.shows("spool documents, 11 B, admitted")
        try await screen.shows("Upload of a.pdf failed: HTTP 599")
        try await answer("?", after: 1)
        try await screen.shows("cancel (n too): the job stops; its file is kept")
        try await answer("s", after: 2)
        try await screen.shows("Job 2: b.pdf")
        try await answer("c not ours", after: 3)
        try await screen.shows("Upload of b.pdf cancelled by ")
        try await screen.shows("Job 3: c.pdf")
        try await rig.sandbox.recover()
        try await answer("r", after: 4)
        #expect(try await screen.ended() == 0)
        try await screen.shows("1 question is open.")
        try await rig.daemon.job(named: "c.pdf", in: "registered")
        let cancelled = try await rig.daemon.job(2)
        #expect(cancelled.state == "cancelled")
        #expect(cancelled.history.array.contains { $0.event == "cancelled" && $0.reason == "not ours" })
      }
      try await rig.withTerminal { screen in
        try await screen.run("$waybill ask")
        try await screen.shows("q)uit, ?:")
        try await screen.type("l https://example.com/a.pdf")
        try await screen.press("Enter")
        #expect(try await screen.ended() == 0)
        try await screen.shows("No question is open.")
      }
      #expect(try await rig.daemon.job(named: "a.pdf", in: "registered").link == "https://example.com/a.pdf")
    }
  }

  @Test(arguments: ["C-c", "C-d"]) func endAnswersNothing(key: String) async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      try await rig.withTerminal { screen in
        try await screen.run("$waybill ask")
        try await screen.shows("q)uit, ?:")
        try await screen.press(key)
        #expect(try await screen.ended() == (key == "C-c" ? 130 : 0))
        let settings = try screen.settings()
        #expect(settings.before == settings.after)
        #expect(try await rig.daemon.job(1).state == "awaiting-confirmation")
      }
    }
  }
}
