import ArgumentParser
import CommandParts
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
    guard result.status != 0 else { return }
    var words = ([name] + arguments).joined(separator: " ") + " failed: " + result.errors
    if let unit {
      let journal = try await output("journalctl", ["-q", "--no-pager", "-o", "cat", "-n", "10", "-u", unit])
      if !journal.output.isEmpty { words += "\n" + journal.output }
    }
    throw CommandFailure(status: .failure, words: words)
  }

  /// Runs a program, and returns what it wrote, safe for a terminal. The status of one that a signal has ended is -1.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be run.
  static func output(
    _ name: String, _ arguments: [String]
  ) async throws(CommandFailure) -> (status: Int32, output: String, errors: String) {
    do {
      let result = try await run(
        .name(name), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      let status = if case .exited(let status) = result.terminationStatus { status } else { Int32(-1) }
      return (status, shown(result.standardOutput), shown(result.standardError))
    } catch {
      throw CommandFailure(status: .unavailable, words: "\(name) cannot be run: \(DisplayText.escape("\(error)"))")
    }
  }

  private static func shown(_ text: String) -> String {
    text.split(separator: "\n").map { DisplayText.escape(String($0)) }.joined(separator: "\n")
  }
}
