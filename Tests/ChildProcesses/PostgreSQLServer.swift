public import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of a test's own, from Debian's package.
public final class PostgreSQLServer: Sendable {
  /// Whether the tests that need it run; where servers are required they run and fail without one.
  public static var canRun: Bool {
    ProcessInfo.processInfo.environment["WAYBILL_TEST_REQUIRE_SERVERS"] == "1"
      || (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql"))?.isEmpty == false
  }

  private let folder: URL
  private let child = Mutex<ChildProcess?>(nil)

  /// Makes a server in a folder, and waits until it answers.
  public init(in folder: URL) async throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await start()
  }

  /// Starts it again after ``stopAtOnce()``.
  public func start() async throws {
    let started = try ChildProcess([Products.support("postgres-up.sh"), folder.path])
    child.withLock { $0 = started }
    try await until("PostgreSQL to answer", within: .seconds(60)) {
      try await Command.run(["psql", "-qAt", database(), "-c", "SELECT 1"]).status == 0
    }
  }

  /// The connection string of a role; `postgres` is the superuser.
  public func database(_ role: String = "postgres") -> String {
    "host=\(folder.path) user='\(role)' dbname=postgres"
  }

  /// Runs SQL as a role and returns what psql prints: rows in lines, columns with `|` between.
  public func sql(_ sql: String, as role: String = "postgres") async throws -> Command {
    try await Command.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", database(role), "-c", sql])
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
