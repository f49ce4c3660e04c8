import ChildProcesses
import Foundation
import Glibc

/// A user of the system whom a process of a test runs as. It takes root to be one, and to make one that is missing.
struct OtherUser: Sendable {
  static let daemon = OtherUser(name: "waybill-test")
  /// The user of those who drop files, and their group.
  static let dropper = OtherUser(name: "waybill-drop-test")

  private static let ready = Task { try await Command.require([Products.support("test-users.sh")]) }

  static func make() async throws { _ = try await ready.value }

  let name: String

  /// The words that run a program as this user, with no right of root's but the capabilities named (`lease`).
  func words(_ words: [String], capabilities: [String] = []) -> [String] {
    let kept = capabilities.map { "+" + $0 }.joined(separator: ",")
    let rights = capabilities.isEmpty ? [] : ["--inh-caps", kept, "--ambient-caps", kept]
    return ["setpriv", "--reuid", name, "--regid", name, "--clear-groups"] + rights + ["--"] + words
  }

  @discardableResult
  func require(_ command: [String], file: String = #fileID, line: Int = #line) async throws -> String {
    try await Command.require(words(command), file: file, line: line)
  }
}
