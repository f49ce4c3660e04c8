import Synchronization
public import Threads

/// A connection that any task may use: its calls run one after the other on a thread of its own. It is opened by the first call,
/// and again by the first one after it was lost.
public final class PostgreSQLConnection: Sendable {
  private let database: String
  private let thread: WorkerThreads
  private let session = Mutex<Held>(Held())

  private struct Held {
    var session: PostgreSQLSession?
  }

  /// - Parameter database: a connection string or URI as libpq takes them.
  /// - Throws: `ThreadError` at the limit of threads.
  public init(_ database: String) throws(ThreadError) {
    self.database = database
    thread = try WorkerThreads(count: 1, name: "postgres")
  }

  /// Runs the body with the connection. Cancelling does not cut a call that has begun.
  ///
  /// - Throws: ``PostgreSQLError``, or the error of the body.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
  ) async throws -> Value {
    try await thread.run { [self] in
      try session.withLock { held in
        if held.session?.isAlive != true {
          held.session = nil
          held.session = try PostgreSQLSession(database)
        }
        guard let session = held.session else { throw PostgreSQLError(sqlState: nil, message: "it is closed") }
        return try body(session)
      }
    }
  }

  /// Closes the connection; the next call opens it again.
  public func close() async {
    _ = try? await thread.run { [self] in session.withLock { $0.session = nil } }
  }
}
