public import Linux
import Synchronization

/// A connection that any task may use: its calls run one after the other on a separate thread. The first call opens it; after a
/// loss, the next call opens it again.
public final class PostgreSQLConnection: Sendable {
  private let database: String
  private let preparation: [String]
  private let thread: WorkerThreads
  private let session = Mutex<PostgreSQLSession?>(nil)

  /// - Parameters:
  ///   - database: a connection string or URI in the form of libpq.
  ///   - preparation: statements to run on each new connection.
  /// - Throws: `FileError` at the limits of threads and descriptors.
  public init(_ database: String, preparation: [String] = []) throws(FileError) {
    self.database = database
    self.preparation = preparation
    thread = try WorkerThreads(count: 1, name: "postgres")
  }

  /// Runs the body with the connection. Cancellation does not interrupt a call that has begun.
  /// - Throws: ``PostgreSQLError``, or the error of the body.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
  ) async throws -> Value {
    try await thread.run { [self] in
      try session.withLock { session in
        do {
          if let session, session.isAlive { return try body(session) }
          session = nil
          let opened = try PostgreSQLSession(database)
          for statement in preparation { try opened.query(statement) }
          session = opened
          return try body(opened)
        } catch let error as PostgreSQLError where error.sqlState == "25006" {
          // a standby: another server may be the one that writes now
          session = nil
          throw error
        }
      }
    }
  }
}
