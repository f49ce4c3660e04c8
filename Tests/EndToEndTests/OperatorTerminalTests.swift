import ChildProcesses
import Foundation
import Glibc
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

  @Test func reportsAnswerByOtherUser() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let user = try await OwnUser.name
      try await rig.withTerminal { screen in
        try await screen.run("$waybill ask")
        try await screen.shows("q)uit, ?:")
        // While the person thinks.
        #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
        try await screen.type("c")
        try await screen.press("Enter")
        try await screen.shows("changed last by \(user) at 20")
        #expect(try await screen.ended() == 0)
        try await screen.shows("No question is open.")
      }
      let events = try await rig.daemon.job(1).history.array.filter { $0.event == "cancelled" }
      #expect(events.count == 1)
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

  @Test func askWithoutTerminalNamesAlternatives() async throws {
    try await withRig { rig in
      let ask = try await rig.daemon.waybill("ask")
      #expect(ask.status == 64)
      for command in ["waybill list --by reason", "waybill confirm", "waybill cancel"] {
        #expect(ask.errors.contains(command), "\(ask.errors)")
      }
    }
  }

  @Test func everythingFitsTerminal() async throws {
    let columns = 80
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      let name = String(repeating: "a long name ", count: 20) + ".pdf"
      for name in ["a.pdf", name] { try await rig.drop(name, until: "awaiting-confirmation") }
      try await rig.withTerminal(columns: columns) { screen in
        func expectFitting(_ words: String) async throws {
          // tmux joins what the terminal has wrapped; what fits was not wrapped. A path and the server's own answer stay whole.
          let lines = try await screen.lines().filter {
            !$0.contains("line.sh") && !$0.contains("<Error>") && !$0.hasPrefix("File ")
          }
          #expect(lines.allSatisfy { $0.count <= columns }, "\(words): \(lines)")
        }
        for words in [
          "show 1", "check --config '\(rig.setup.config.path)'", "confirm nothing-of-this-name.pdf", "list",
          "list --by reason", "status", "list --state awaiting-confirmation", "log",
        ] {
          try await screen.clear()
          try await screen.run("$waybill \(words)")
          _ = try await screen.ended()
          try await expectFitting(words)
        }
        try await screen.clear()
        try await screen.run("$waybill ask")
        try await screen.shows("q)uit, ?:")
        try await screen.type("?")
        try await screen.press("Enter")
        try await screen.shows("q)uit, ?:", times: 2)
        try await expectFitting("ask")
        try await screen.type("q")
        try await screen.press("Enter")
      }
    }
  }
}
