import CSQLite

/// An error of SQLite: its result code, its text, and the statement.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The extended result code (<https://sqlite.org/rescode.html>).
  let code: Int32
  /// SQLite's words.
  public let message: String
  /// The statement; nil if there was none.
  public let sql: String?
  /// The database's file; nil if it has none, or is not known.
  let file: String?

  /// Creates an error from a result code; without a message it has SQLite's words for the code.
  init(code: Int32, message: String? = nil, sql: String? = nil, file: String? = nil) {
    self.code = code
    self.message = unsafe message ?? String(cString: sqlite3_errstr(code))
    self.sql = sql
    self.file = file
  }

  /// Creates an error from the last error of a connection.
  init(code: Int32, _ connection: OpaquePointer?, sql: String? = nil, file: String? = nil) {
    let message = unsafe connection.map { connection in unsafe String(cString: sqlite3_errmsg(connection)) }
    let own = unsafe connection.flatMap { connection in
      unsafe sqlite3_db_filename(connection, "main").map { unsafe String(cString: $0) }
    }
    self.init(code: code, message: message, sql: sql, file: own.flatMap { $0.isEmpty ? nil : $0 } ?? file)
  }

  /// The primary result code.
  public var primaryCode: Int32 { code & 0xff }

  /// True if it failed only because there is no space, so that it may succeed later. The failure concerns a write (SQLITE_FULL),
  /// or the growth of the shared-memory file, for which SQLite has a separate code.
  public var isForWantOfSpace: Bool { primaryCode == SQLITE_FULL || code == Self.sharedMemoryFull }

  /// True if the file is not a database, or is damaged.
  public var isOfDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  /// True if the same call may succeed later although nobody changes anything: it failed because of the file system, the limits
  /// of the process or another connection. Permissions must have been checked before, since SQLite has no separate code for them.
  public var mayPass: Bool { Self.passing.contains(primaryCode) && code != Self.shortRead }

  private static let passing: Set<Int32> = [
    SQLITE_PERM, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_FULL,
    SQLITE_CANTOPEN, SQLITE_PROTOCOL,
  ]
  /// SQLITE_IOERR_SHORT_READ: the file ends too early.
  private static let shortRead = SQLITE_IOERR | (2 << 8)

  /// True if another connection has locked the database (SQLITE_BUSY).
  public var isBusy: Bool { primaryCode == SQLITE_BUSY }

  /// The error of using a closed connection.
  static let closed = SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")

  /// SQLITE_IOERR_SHMSIZE.
  private static let sharedMemoryFull = SQLITE_IOERR | (19 << 8)

  /// The code, the text, the file and the statement.
  public var description: String {
    "SQLite error \(code): \(message)" + (file.map { " (\($0))" } ?? "")
      + (sql.map { " - while executing `\($0)`" } ?? "")
  }
}
