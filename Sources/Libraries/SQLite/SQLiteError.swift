import CSQLite

/// An error of SQLite: its result code, its words, and the statement that met it.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The extended result code (<https://sqlite.org/rescode.html>).
  public let code: Int32
  /// SQLite's words.
  public let message: String
  /// The statement; nil if there was none.
  public let sql: String?
  /// The database's file; nil if it has none, or is not known.
  public let file: String?

  /// Creates an error from a result code.
  ///
  /// - Parameter message: the words; SQLite's own for the code if nil.
  public init(code: Int32, message: String? = nil, sql: String? = nil, file: String? = nil) {
    self.code = code
    self.message = unsafe message ?? String(cString: sqlite3_errstr(code))
    self.sql = sql
    self.file = file
  }

  /// Creates the error that a connection met last.
  init(code: Int32, _ connection: OpaquePointer?, sql: String? = nil, file: String? = nil) {
    let message = unsafe connection.map { connection in unsafe String(cString: sqlite3_errmsg(connection)) }
    let own = unsafe connection.flatMap { connection in
      unsafe sqlite3_db_filename(connection, "main").map { unsafe String(cString: $0) }
    }
    self.init(code: code, message: message, sql: sql, file: own.flatMap { $0.isEmpty ? nil : $0 } ?? file)
  }

  /// The primary result code.
  public var primaryCode: Int32 { code & 0xff }

  /// True if it failed only for lack of space, so that the same may succeed later. That is a write (SQLITE_FULL), or the growth
  /// of the file that the connections share, for which SQLite has an error of its own.
  public var isForWantOfSpace: Bool { primaryCode == SQLITE_FULL || code == Self.sharedMemoryFull }

  /// True if the file is no database, or not a complete one.
  public var isOfDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  /// True if the same may work later although nobody changes anything: the file system, the limits of the process or another
  /// connection stood in the way. Wherever rights were made sure of beforehand, as SQLite has no code for them alone.
  public var mayPass: Bool { Self.passing.contains(primaryCode) && code != Self.shortRead }

  private static let passing: Set<Int32> = [
    SQLITE_PERM, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_FULL,
    SQLITE_CANTOPEN, SQLITE_PROTOCOL,
  ]
  /// SQLITE_IOERR_SHORT_READ: the file ends too early.
  private static let shortRead = SQLITE_IOERR | (2 << 8)

  /// True if another connection holds the database (SQLITE_BUSY).
  public var isBusy: Bool { primaryCode == SQLITE_BUSY }

  /// The error of one who uses a connection that was closed.
  static let closed = SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")

  /// SQLITE_IOERR_SHMSIZE.
  private static let sharedMemoryFull = SQLITE_IOERR | (19 << 8)

  /// The code, the words, the file and the statement.
  public var description: String {
    "SQLite error \(code): \(message)" + (file.map { " (\($0))" } ?? "")
      + (sql.map { " - while executing `\($0)`" } ?? "")
  }
}
