public import Linux
import Synchronization

/// A connection that any task may use: its calls run one after the other on a separate thread. The first call opens it; after a
/// loss, the next call opens it again.
public final class PostgreSQLConnection: Sendable {
  private let database: String
  private let preparation: [String]
  private let thread: WorkerThreads
  private let session = Mutex<Held>(Held())
  /// Rings when a call arrives while the thread waits for a notice.
  private let bell: Doorbell
  private let waiting = Atomic<Int>(0)

  private struct Held {
    var session: PostgreSQLSession?
    /// The channel that this session listens to; nil for none.
    var channel: String?

    mutating func open(_ database: String, _ preparation: [String]) throws -> PostgreSQLSession {
      if let session, session.isAlive { return session }
      (session, channel) = (nil, nil)
      let opened = try PostgreSQLSession(database)
      for statement in preparation { try opened.query(statement) }
      session = opened
      return opened
    }
  }

  /// - Parameters:
  ///   - database: a connection string or URI in the form of libpq.
  ///   - preparation: statements to run on each new connection.
  /// - Throws: `ThreadError` at the limits of threads and descriptors.
  public init(_ database: String, preparation: [String] = []) throws(ThreadError) {
    self.database = database
    self.preparation = preparation
    bell = try Doorbell()
    thread = try WorkerThreads(count: 1, name: "postgres")
  }

  /// Runs the body with the connection. Cancellation does not interrupt a call that has begun.
  ///
  /// - Throws: ``PostgreSQLError``, or the error of the body.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
  ) async throws -> Value {
    waiting.add(1, ordering: .sequentiallyConsistent)
    bell.ring()
    return try await thread.run { [self] in
      waiting.subtract(1, ordering: .sequentiallyConsistent)
      return try session.withLock { held in try body(try held.open(database, preparation)) }
    }
  }

  /// Waits until somebody sends a notice to a channel (`NOTIFY`), or the time is over. Other calls can run meanwhile.
  ///
  /// A notice before the first call is not noticed; one between two calls is.
  ///
  /// - Returns: true if a notice arrived.
  /// - Throws: ``PostgreSQLError``; `CancellationError`.
  public func notice(on channel: String, within time: Duration) async throws -> Bool {
    let deadline = ContinuousClock.now + time
    let isCancelled = Mutex(false)
    return try await withTaskCancellationHandler {
      while true {
        try Task.checkCancellation()
        let left = deadline - .now
        if left <= .zero { return false }
        let milliseconds = Int32(min(left / .milliseconds(1), 86_400_000))
        let came = try await thread.run { [self] in
          bell.silence()
          return try session.withLock { held in
            let session = try held.open(database, preparation)
            if held.channel != channel {
              try session.query("LISTEN \(PostgreSQLSession.quoted(name: channel))")
              held.channel = channel
            }
            // A caller that rang before the bell was silenced is counted in `waiting`.
            let isWanted = waiting.load(ordering: .sequentiallyConsistent) > 0 || isCancelled.withLock { $0 }
            return try session.waitForNotice(or: bell.descriptor, milliseconds: isWanted ? 0 : max(1, milliseconds))
          }
        }
        if came { return true }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
      bell.ring()
    }
  }
}
