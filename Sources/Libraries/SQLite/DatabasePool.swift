public import Linux
import Synchronization

/// One connection for writing and a few for reading, on one file in WAL mode. Readers see the last commit, and wait for no
/// writer.
public final class DatabasePool: Sendable {
  /// A reading connection, which one thread at a time may use.
  private final class Reader: Sendable {
    let database: Mutex<Database>

    init(path: String) throws(SQLiteError) {
      let database = try Database(path: path, .reading)
      // In KiB; a reader does not need a large cache.
      try database.execute("PRAGMA cache_size = -1000")
      self.database = Mutex(database)
    }
  }

  /// The result for a caller that needs a reader.
  private enum Turn {
    case use(Reader)
    /// The caller may open another one.
    case open
    case closed
  }

  private struct Readers {
    var idle: [Reader] = []
    var opened = 0
    var waiting: [CheckedContinuation<Turn, Never>] = []
    var isClosed = false
  }

  private let path: String
  private let mostReaders: Int
  private let writer: Mutex<Database>
  private let readers = Mutex(Readers())
  private let line: WorkLine

  /// Opens the writing connection; readers are opened when they are needed.
  ///
  /// - Parameter prepare: prepares the writing connection, before anything else uses it.
  /// - Throws: ``SQLiteError``, or the error of `prepare`.
  public init(
    path: String, mostReaders: Int = 4, on machine: Machine = .system, prepare: (Database) throws -> Void
  ) throws {
    self.path = path
    line = WorkLine("waybill.ledger.read", on: machine, isConcurrent: true)
    self.mostReaders = mostReaders
    let database = try Database(path: path, keeping: 96)
    // This comes first: if a later step fails, the connection is closed, which would remove the log.
    try database.keepWriteAheadLog()
    try database.execute(script: "PRAGMA journal_mode = WAL")
    try prepare(database)
    writer = Mutex(database)
  }

  /// Calls the body with the writing connection. It blocks while another thread has it.
  ///
  /// - Throws: the error of the body.
  public func write<Value: Sendable>(_ body: (Database) throws -> Value) rethrows -> Value {
    try writer.withLock { database in try body(database) }
  }

  /// Calls the body with a reading connection, in a transaction, so that everything it reads is from one commit. The body runs on
  /// a thread that may block.
  ///
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let turn = await turn()
    return try await withCheckedThrowingContinuation { continuation in
      line.add { [self] in
        continuation.resume(
          with: Result {
            let reader = try reader(turn)
            defer { giveBack(reader) }
            return try reader.database.withLock { database in
              try database.transaction(.deferred) { try body(database) }
            }
          })
      }
    }
  }

  /// The same, on the calling thread, which blocks.
  ///
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func readNow<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) throws -> Value {
    let idle = try readers.withLock { readers throws(SQLiteError) -> Reader? in
      if readers.isClosed { throw .closed }
      if let reader = readers.idle.popLast() { return reader }
      readers.opened += 1
      return nil
    }
    let reader = try idle ?? self.reader(.open)
    defer { giveBack(reader) }
    return try reader.database.withLock { database in try database.transaction(.deferred) { try body(database) } }
  }

  /// Closes the connections; those in use are closed when they are returned.
  public func close() {
    let idle = readers.withLock { readers in
      readers.isClosed = true
      return exchange(&readers.idle, with: [])
    }
    for reader in idle { reader.database.withLock { $0.close() } }
    writer.withLock { $0.close() }
  }

  /// Waits for a reader, or for the permission to open one.
  private func turn() async -> Turn {
    await withCheckedContinuation { continuation in
      let turn: Turn? = readers.withLock { readers in
        if readers.isClosed { return .closed }
        if let reader = readers.idle.popLast() { return .use(reader) }
        guard readers.opened >= mostReaders else {
          readers.opened += 1
          return .open
        }
        readers.waiting.append(continuation)
        return nil
      }
      if let turn { continuation.resume(returning: turn) }
    }
  }

  private func reader(_ turn: Turn) throws(SQLiteError) -> Reader {
    switch turn {
    case .use(let reader): return reader
    case .closed: throw .closed
    case .open:
      do throws(SQLiteError) {
        return try Reader(path: path)
      } catch {
        didNotOpen()
        throw error
      }
    }
  }

  private func giveBack(_ reader: Reader) {
    let (next, mustClose) = readers.withLock { readers -> (CheckedContinuation<Turn, Never>?, Bool) in
      if !readers.waiting.isEmpty { return (readers.waiting.removeFirst(), false) }
      if readers.isClosed { return (nil, true) }
      readers.idle.append(reader)
      return (nil, false)
    }
    if mustClose { reader.database.withLock { $0.close() } }
    next?.resume(returning: .use(reader))
  }

  private func didNotOpen() {
    let next = readers.withLock { readers -> CheckedContinuation<Turn, Never>? in
      guard !readers.waiting.isEmpty else {
        readers.opened -= 1
        return nil
      }
      return readers.waiting.removeFirst()
    }
    next?.resume(returning: .open)
  }
}
