public import GRDB
import GRDBSQLite

/// A statement that writes a row: takes its values one after the other, then runs.
///
/// Values go to SQLite straight from where they are. GRDB's own arguments are made for any type and any number of
/// statements: boxed, converted and checked one by one, they cost a job more than SQLite's work does, some hundred values
/// on its way. To be used and let go within one access to the database.
@safe public struct WriteStatement: ~Copyable {
  private let pointer: OpaquePointer
  private var index: Int32 = 0
  private var code = SQLITE_OK

  /// SQLite copies what it is given (SQLITE_TRANSIENT of sqlite3.h, a cast that Swift does not import).
  private static var copied: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  /// A statement of the database's cache. It must return no rows.
  public init(_ sql: String, _ database: Database) throws {
    unsafe pointer = try database.cachedStatement(sql: sql).sqliteStatement
    _ = unsafe sqlite3_reset(pointer)
  }

  /// Adds a whole number, or null.
  public mutating func add(_ value: Int64?) {
    index += 1
    if let value {
      note(unsafe sqlite3_bind_int64(pointer, index, value))
    } else {
      note(unsafe sqlite3_bind_null(pointer, index))
    }
  }

  /// Adds a whole number, or null.
  public mutating func add(_ value: Int?) { add(value.map { Int64($0) }) }

  /// Adds 0, 1 or null.
  public mutating func add(_ value: Bool?) { add(value.map { $0 ? Int64(1) : 0 }) }

  /// Adds a text, or null.
  public mutating func add(_ value: String?) {
    index += 1
    guard var value else { return note(unsafe sqlite3_bind_null(pointer, index)) }
    note(
      value.withUTF8 { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
          // An empty text may have no address, and none means null.
          guard let start = characters.baseAddress else {
            return unsafe sqlite3_bind_text(pointer, index, "", 0, Self.copied)
          }
          return unsafe sqlite3_bind_text(pointer, index, start, Int32(characters.count), Self.copied)
        }
      })
  }

  /// Adds bytes, or null.
  public mutating func add(_ value: [UInt8]?) {
    index += 1
    guard let value else { return note(unsafe sqlite3_bind_null(pointer, index)) }
    note(
      unsafe value.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
          return unsafe sqlite3_bind_zeroblob(pointer, index, 0)
        }
        return unsafe sqlite3_bind_blob(pointer, index, start, Int32(bytes.count), Self.copied)
      })
  }

  /// Runs the statement. Each of its parameters must have been given a value.
  ///
  /// - Throws: `DatabaseError`, for a value that SQLite does not take as well.
  public consuming func run() throws {
    assert(unsafe sqlite3_bind_parameter_count(pointer) == index, "a statement with \(index) values")
    if code == SQLITE_OK { code = unsafe sqlite3_step(pointer) }
    let message = code == SQLITE_DONE ? nil : unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
    _ = unsafe sqlite3_reset(pointer)
    guard code != SQLITE_DONE else { return }
    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }

  private mutating func note(_ result: Int32) {
    if code == SQLITE_OK { code = result }
  }
}
