import ChildProcesses
import Glibc

/// A user of the system whom a process of a test runs as. It takes root to be one, and to make one that is missing.
struct OtherUser: Sendable {
  /// The daemon's user.
  static let daemon = Task { try await OtherUser("waybill-test") }
  /// The user of those who drop files.
  static let dropper = Task { try await OtherUser("waybill-drop-test") }

  let name: String
  let uid: String
  let gid: String

  private init(_ name: String) async throws {
    self.name = name
    if try await Command.run(["id", name]).status != 0 {
      try await Command.require([
        "useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/sh",
        name,
      ])
    }
    uid = try await Command.require(["id", "-u", name]).trimmingWhitespace
    gid = try await Command.require(["id", "-g", name]).trimmingWhitespace
  }

  /// The words that run a program as this user, with no right of root's but the capabilities named (`lease`).
  func words(_ words: [String], capabilities: [String] = []) -> [String] {
    let kept = capabilities.map { "+" + $0 }.joined(separator: ",")
    let rights = capabilities.isEmpty ? [] : ["--inh-caps", kept, "--ambient-caps", kept]
    return ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups"] + rights + ["--"] + words
  }
}

extension String {
  fileprivate var trimmingWhitespace: String { String(split(whereSeparator: \.isWhitespace).joined()) }
}
