import ChildProcesses
import Foundation

@testable import Harness

/// A Unix socket that leads to a PostgreSQL server and changes some bytes of what clients send (`Tests/Support/postgres-proxy.py`).
final class PostgreSQLProxy: Sendable {
  private let child: ChildProcess
  private let folder: URL

  init(
    to server: PostgreSQLServer, in folder: URL, _ replacing: (text: String, other: String)
  ) async throws {
    self.folder = folder
    let place = folder.appending(path: ".s.PGSQL.5432").path
    child = try ChildProcess([
      try await Products.python.value, Products.support("postgres-proxy.py"), place, server.socket, replacing.text,
      replacing.other,
    ])
    _ = try await child.prints("listening\n")
  }

  /// The connection string of a role by way of the proxy.
  func database(_ role: String) -> String { "host=\(folder.path) user='\(role)' dbname=postgres" }

  /// The number of times that it changed something.
  var changes: Int { child.outputText.split(separator: "\n").count { $0 == "changed" } }

  /// For the end of a test.
  func cut() { child.cut() }
}
