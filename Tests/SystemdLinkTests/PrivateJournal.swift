import ChildProcesses
import Foundation
import Testing

/// A real journald of the test's own, in a mount namespace. See Tests/Support/journald-up.sh.
struct PrivateJournal {
  private let directory: TemporaryFolder

  init() async throws {
    directory = try TemporaryFolder()
    try await Command.require([Products.support("journald-up.sh"), directory.path])
  }

  var pid: Int32 {
    get throws {
      let text = try String(contentsOfFile: directory.path + "/pid", encoding: .utf8)
      return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
  }

  /// The words before a command that make it run where this journald is the system's.
  var prefix: [String] { [Products.support("journald-exec.sh"), directory.path] }

  /// Runs a command where this journald is the system's.
  func run(_ command: [String]) async throws -> Command { try await Command.run(prefix + command) }

  /// The entries that match, oldest first, each field as text, or as an array of bytes where it is not UTF-8.
  func entries(_ matches: String...) async throws -> [[String: Any]] {
    try await Command.require(prefix + ["journalctl", "--sync"])
    let words = ["journalctl", "--directory=\(directory.path)/log", "-q", "-o", "json", "--all"]
    return try await Command.require(words + matches).split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  func down() async throws {
    try await Command.require([Products.support("journald-down.sh"), directory.path])
    directory.remove()
  }
}

func withJournal(_ body: (PrivateJournal) async throws -> Void) async throws {
  let journal = try await PrivateJournal()
  do { try await body(journal) } catch {
    try await journal.down()
    throw error
  }
  try await journal.down()
}
