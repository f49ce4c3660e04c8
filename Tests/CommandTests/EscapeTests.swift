import ChildProcesses
import ControlTesting
import Foundation
import Glibc
import Jobs
import MessageLiterals
import Testing

/// What a dropper or a server writes is shown, and never obeyed by the terminal.
@Suite(.slot, .bounded)
struct EscapeTests {
  /// Turns the colour, sets the window's title, the same by the second set of controls, and turns the writing round.
  private static let hostile = "a\u{1B}[31m\u{1B}]0;title\u{7}\u{9B}31m\u{9D}0;t\u{9C}\u{202E}\u{7F}\r\u{8}.pdf"

  private func jobs() async throws -> InMemoryJobs {
    let jobs = InMemoryJobs()
    let refusal = Failure(.rejected, "HTTP 422: \(Self.hostile)", status: 422, code: Self.hostile)
    try await jobs.add(FileName(Self.hostile), .begin, .finished(attempt: 1, .failed(refusal, .ask)))
    await jobs.tell(.spoolProblem, of: .spool(Self.hostile), "spool: \(Self.hostile)", reason: Self.hostile)
    return jobs
  }

  /// Nothing but line ends and what can be seen.
  private func isTame(_ text: String, but allowed: Set<Unicode.Scalar> = ["\n"]) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: allowed.contains(scalar)
      default: true
      }
    }
  }

  @Test(arguments: [false, true])
  func followEscapesControlCharacters(json: Bool) async throws {
    try await withControlServer(try await jobs().operations) { socket in
      let watch = try ChildProcess(
        [Products.command, "log", "--follow", "--socket", socket, "--since", InMemoryJobs.beginning]
          + (json ? ["--json"] : []))
      try await watch.prints("three events") { $0.split(separator: "\n").count == 3 }
      #expect(isTame(watch.outputText), "\(watch.outputText)")
      watch.signal(SIGTERM)
      #expect(try await watch.end() == .exit(0))
      if json {
        let line = try #require(watch.outputText.split(separator: "\n").first)
        let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect((event?["job"] as? [String: Any])?["name"] as? String == Self.hostile)
      }
    }
  }

  @Test(arguments: [
    ["list"], ["list", "--json"], ["list", "--by", "reason"], ["show", "1"], ["show", "1", "--json"],
  ])
  func readCommandsEscapeControlCharacters(words: [String]) async throws {
    try await withControlServer(try await jobs().operations) { socket in
      let result = try await Command.run([Products.command] + words + ["--socket", socket])
      #expect(result.status == 0 && isTame(result.output + result.errors), "\(result)")
    }
  }

  /// At a terminal, which turns each line feed into two characters, and without colours of our own.
  @Test func askEscapesControlCharacters() async throws {
    try await withControlServer(try await jobs().operations) { socket in
      let line = "exec '\(Products.command)' ask --socket '\(socket)'"
      let ask = try ChildProcess(
        ["script", "-qefc", line, "/dev/null"], environment: ["TERM": "xterm", "NO_COLOR": "1"])
      try await ask.prints("the question") { $0.contains("q)uit, ?:") }
      #expect(
        ask.outputText.contains(#"\x07\u{9b}31m\u{9d}0;t\u{9c}\u{202e}\x7f\r\x08.pdf."#), "\(ask.outputText)")
      #expect(isTame(ask.outputText, but: ["\n", "\r"]), "\(ask.outputText)")
      ask.signal(SIGTERM)
      try await ask.end()
    }
  }
}
