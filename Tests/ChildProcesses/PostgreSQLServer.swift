public import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of a test's own, from `.build-test/postgresql` or installed.
public final class PostgreSQLServer: Sendable {
  /// The words that run psql.
  public static let psql = Products.unpacked("postgresql") + ["psql"]

  private let folder: URL
  private let prefix: [String]
  private let options: [String]
  private let port: Int
  private let child = Mutex<ChildProcess?>(nil)

  /// Makes a server in a folder, and waits until it answers; `prefix` are words before its command, which run it elsewhere.
  public init(in folder: URL, prefix: [String] = [], options: [String] = [], port: Int = 5432) async throws {
    self.folder = folder
    self.prefix = prefix
    self.options = options + ["-p", String(port)]
    self.port = port
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await start()
  }

  /// Starts it again after ``stopAtOnce()``.
  public func start() async throws {
    let started = try ChildProcess(prefix + [Products.support("postgres-up.sh"), folder.path] + options)
    child.withLock { $0 = started }
    try await until("PostgreSQL to answer") {
      try await Command.run(Self.psql + ["-qAt", database(), "-c", "SELECT 1"]).status == 0
    }
  }

  /// The connection string of a role; `postgres` is the superuser.
  public func database(_ role: String = "postgres") -> String {
    "host=\(folder.path) port=\(port) user='\(role)' dbname=postgres"
  }

  /// The path of its socket.
  public var socket: String { folder.appending(path: ".s.PGSQL.\(port)").path }

  /// What it has logged since it was started.
  public var log: String { child.withLock { $0 }?.errorText ?? "" }

  /// Runs SQL as a role and returns what psql prints: rows in lines, columns with `|` between.
  public func sql(_ sql: String, as role: String = "postgres") async throws -> Command {
    try await Command.run(Self.psql + ["-qAtX", "-v", "ON_ERROR_STOP=1", database(role), "-c", sql])
  }

  /// Ends it without a word to anybody, as `pg_ctl stop -m immediate` does: the next start recovers.
  public func stopAtOnce() async throws {
    let running = child.withLock { $0 }
    running?.signal(SIGQUIT)
    _ = try await running?.end()
  }

  /// For the end of a test.
  public func cut() { child.withLock { $0 }?.cut() }
}
