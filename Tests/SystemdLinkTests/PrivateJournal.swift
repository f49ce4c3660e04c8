import Foundation
import Testing

/// A real journald of the test's own, in a mount namespace. See Tests/Support/journald-up.sh.
struct PrivateJournal {
  let directory = TemporaryDirectory()

  init() async throws {
    let up = try await Command.run(Command.support("journald-up.sh"), [directory.path])
    try #require(up.status == 0, "journald did not start: \(up.errors)")
  }

  /// The pid of journald.
  var pid: Int32 {
    get throws {
      let text = try String(contentsOfFile: directory.path + "/pid", encoding: .utf8)
      return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
  }

  /// The arguments that run a command where this journald is the system's.
  func inside(_ command: [String]) -> (program: String, arguments: [String]) {
    (Command.support("journald-exec.sh"), [directory.path] + command)
  }

  /// Runs a command where this journald is the system's.
  func run(_ command: [String]) async throws -> Command.Outcome {
    let inside = inside(command)
    return try await Command.run(inside.program, inside.arguments)
  }

  /// The entries that match, oldest first, each field as text, or as an array of bytes where it is not UTF-8.
  func entries(_ matches: String...) async throws -> [[String: Any]] {
    let sync = try await run(["journalctl", "--sync"])
    try #require(sync.status == 0, "journalctl --sync: \(sync.errors)")
    let read = try await Command.run(
      "/usr/bin/journalctl", ["--directory=\(directory.path)/log", "-q", "-o", "json", "--all"] + matches)
    try #require(read.status == 0, "journalctl: \(read.errors)")
    return try read.output.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// Ends journald and removes its files.
  func down() async throws {
    _ = try await Command.run(Command.support("journald-down.sh"), [directory.path])
    directory.remove()
  }
}

/// Runs `body` with a journald of its own.
func withJournal(_ body: (PrivateJournal) async throws -> Void) async throws {
  let journal = try await PrivateJournal()
  do { try await body(journal) } catch {
    try await journal.down()
    throw error
  }
  try await journal.down()
}
