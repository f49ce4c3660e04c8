import CommandParts
import Jobs
import Subprocess

/// A program of the system that a setup runs, e.g. `systemctl`.
enum Program {
  /// Runs a program that has to succeed.
  ///
  /// - Parameter unit: the unit that it starts. If it fails, the end of the unit's journal follows the program's own words.
  /// - Throws: ``CommandFailure`` with the program's own words.
  static func require(_ name: String, _ arguments: [String], unit: String? = nil) async throws {
    let result = try await output(name, arguments)
    guard !result.isDone else { return }
    var words = ([name] + arguments).joined(separator: " ") + " failed: " + result.text
    if let unit {
      let journal = try await output("journalctl", ["-q", "--no-pager", "-o", "cat", "-n", "10", "-u", unit])
      if !journal.text.isEmpty { words += "\n" + journal.text }
    }
    throw CommandFailure(words: words)
  }

  /// Runs a program, and returns what it wrote, safe for a terminal.
  private static func output(_ name: String, _ arguments: [String]) async throws -> (isDone: Bool, text: String) {
    do {
      let result = try await run(
        .name(name), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      let lines = (result.standardOutput + result.standardError).split(separator: "\n")
      return (
        result.terminationStatus.isSuccess, lines.map { DisplayText.escape(String($0)) }.joined(separator: "\n")
      )
    } catch {
      throw CommandFailure(words: "\(name) cannot be run: \(DisplayText.escape("\(error)"))")
    }
  }
}
