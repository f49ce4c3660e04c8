import ChildProcesses
import Foundation

struct Journal: Sendable {
  let folder: String

  init(in folder: URL) async throws {
    self.folder = folder.path
    try await Command.require([Products.support("journald-up.sh"), folder.path])
  }

  var prefix: [String] { [Products.support("journald-exec.sh"), folder] }

  /// An entry; a field that is there several times shows its last value.
  typealias Entry = JSONValue

  /// The entries of `waybilld` with these fields, the oldest first.
  func entries(_ fields: String...) async throws -> [Entry] { try await read(fields) }

  @discardableResult
  func entry(_ fields: String..., line: Int = #line) async throws -> Entry {
    try await until("an entry with \(fields)", line: line) { try await read(fields).first }
  }

  private func read(_ fields: [String]) async throws -> [Entry] {
    try await text(fields).split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  func text(_ fields: [String] = []) async throws -> String {
    try await Command.require(prefix + ["journalctl", "--sync"])
    let words = ["journalctl", "--directory=\(folder)/log", "-q", "-o", "json", "--all", "SYSLOG_IDENTIFIER=waybilld"]
    // journalctl ends with 1 where nothing matches.
    return try await Command.run(words + fields).output
  }

  func end() async {
    do {
      try await Command.require([Products.support("journald-down.sh"), folder])
    } catch {
      print("ignored: a journald in \(folder) may be left: \(error)")
    }
  }
}
