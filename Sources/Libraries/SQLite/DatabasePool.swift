public import Linux
import Synchronization

/// One connection for writing and a few for reading, on one file in WAL mode. Readers see the last commit, and wait for no
/// writer.
public final class DatabasePool: Sendable {
  /// A connection for reading, which is opened at its first use, and the line of those who wait for it.
  private final class Reader: Sendable {
    let database = Mutex<Database?>(nil)
    let line: WorkLine
    /// The number of readings that run or wait.
    let load = Atomic(0)

    init(on machine: Machine) { line = WorkLine("waybill.ledger.read", on: machine) }
  }

  private let path: String
  private let writer: Mutex<Database>
  private let readers: [Reader]
  private let isClosed = Atomic(false)

  /// Opens the writing connection; readers are opened when they are needed.
  /// - Parameter prepare: prepares the writing connection, before anything else uses it.
  /// - Throws: ``SQLiteError``, or the error of `prepare`.
  public init(
    path: String, readers: Int = 4, on machine: Machine = .system, prepare: (Database) throws -> Void
  ) throws {
    self.path = path
    self.readers = (0..<readers).map { _ in Reader(on: machine) }
    let database = try Database(path: path, keeping: 96)
    // This comes first: if a later step fails, the connection is closed, which would remove the log.
    try database.keepWriteAheadLog()
    try database.execute(script: "PRAGMA journal_mode = WAL")
    try prepare(database)
    writer = Mutex(database)
  }

  /// Calls the body with the writing connection. It blocks while another thread has it.
  /// - Throws: the error of the body.
  public func write<Value: Sendable>(_ body: (Database) throws -> Value) rethrows -> Value {
    try writer.withLock { database in try body(database) }
  }

  /// Calls the body with a reading connection, in a transaction, so that everything it reads is from one commit. The body runs on
  /// a thread that may block. A failed reading is tried once more, because SQLite reports it as damage too.
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let reader = leastUsed()
    return try await withCheckedThrowingContinuation { continuation in
      reader.line.add { [self] in continuation.resume(with: Result { try read(with: reader, body) }) }
    }
  }

  /// The same, on the calling thread, which blocks.
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func readNow<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) throws -> Value {
    try read(with: leastUsed(), body)
  }

  /// Closes the connections, each once the reading that it is used for has ended.
  public func close() {
    isClosed.store(true, ordering: .releasing)
    for reader in readers { reader.database.withLock { $0?.close() } }
    writer.withLock { $0.close() }
  }

  /// Returns the reader for which the fewest wait, and counts one more for it.
  private func leastUsed() -> Reader {
    let reader =
      readers.min { $0.load.load(ordering: .relaxed) < $1.load.load(ordering: .relaxed) } ?? readers[0]
    reader.load.add(1, ordering: .relaxed)
    return reader
  }

  private func read<Value: Sendable>(
    with reader: Reader, _ body: @Sendable (Database) throws -> Value
  ) throws -> Value {
    defer { reader.load.subtract(1, ordering: .relaxed) }
    func once() throws -> Value {
      try reader.database.withLock { database in
        if isClosed.load(ordering: .acquiring) { throw SQLiteError.closed }
        let open = try database ?? Self.openReader(path)
        database = open
        return try open.transaction(.deferred) { try body(open) }
      }
    }
    do {
      return try once()
    } catch let error as SQLiteError where error.isOfDamage || error.mayPass {
      return try once()
    }
  }

  private static func openReader(_ path: String) throws(SQLiteError) -> Database {
    let database = try Database(path: path, .reading)
    // In KiB; a reader does not need a large cache.
    try database.execute("PRAGMA cache_size = -1000")
    return database
  }
}
