import ArgumentParser
import Jobs
import Subprocess

/// A program of the system that a setup runs, e.g. `systemctl`.
enum Program {
  /// Runs a program that has to succeed.
  ///
  /// - Parameter unit: the unit that it starts. If it fails, the end of the unit's journal follows the program's own words.
  /// - Throws: ``CommandFailure`` with the program's own words.
  static func require(_ name: String, _ arguments: [String], unit: String? = nil) async throws(CommandFailure) {
    let result = try await output(name, arguments)
    guard !result.isSuccess else { return }
    var words = [([name] + arguments).joined(separator: " ") + " failed: " + trimmed(result.errors)]
    if let unit {
      let journal = try await output("journalctl", ["-q", "--no-pager", "-o", "cat", "-n", "10", "-u", unit])
      words.append(trimmed(journal.output))
    }
    throw CommandFailure(status: .failure, words: words.filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  /// The end of a program.
  struct Result {
    var isSuccess: Bool
    var output: String
    var errors: String
  }

  /// Runs a program, and returns what it wrote.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be run.
  static func output(_ name: String, _ arguments: [String]) async throws(CommandFailure) -> Result {
    do {
      let result = try await run(
        .name(name), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      return Result(
        isSuccess: result.terminationStatus.isSuccess, output: result.standardOutput, errors: result.standardError)
    } catch {
      throw CommandFailure(status: .unavailable, words: "\(name) cannot be run: \(DisplayText.escape("\(error)"))")
    }
  }

  /// The lines of a text, safe for a terminal, without empty ones at the end.
  private static func trimmed(_ text: String) -> String {
    text.split(separator: "\n").map { DisplayText.escape(String($0)) }.joined(separator: "\n")
  }
}
