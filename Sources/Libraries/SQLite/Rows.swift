import CSQLite

/// The rows of a query, one after the other. Nothing is read ahead.
public struct Rows: ~Copyable {
  private let statement: Statement
  private let database: Database
  private var isAtEnd = false

  init(_ statement: Statement, _ database: Database) {
    self.statement = statement
    self.database = database
    statement.isInUse = true
  }

  deinit { statement.reset() }

  /// Returns the next row, which is valid until the next call; nil at the end.
  public mutating func next() throws(SQLiteError) -> Row? {
    if isAtEnd { return nil }
    let code = unsafe sqlite3_step(statement.pointer)
    if code == SQLITE_ROW { return Row(statement: statement) }
    isAtEnd = true
    guard code == SQLITE_DONE else { throw database.error(code, sql: statement.sql) }
    return nil
  }
}

/// A row of a query, which is valid until the next one is read.
@safe public struct Row {
  let statement: Statement

  /// True if a column is null.
  public func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(statement.pointer, Int32(column)) == SQLITE_NULL
  }

  /// Calls the body with the bytes of a column without copying them; null gives no bytes.
  public func withBytes<Value>(_ column: Int, _ body: (Span<UInt8>) throws -> Value) rethrows -> Value {
    let (pointer, index) = unsafe (statement.pointer, Int32(column))
    let start = unsafe sqlite3_column_blob(pointer, index)
    let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(pointer, index))
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    return try unsafe bytes.withMemoryRebound(to: UInt8.self) { try unsafe body($0.span) }
  }

  /// The value of a column. SQLite converts a value of another type; null becomes 0 or empty.
  public subscript<Value: ColumnValue>(column: Int) -> Value { Value(self, column) }

  /// The value of a column; nil if it is null.
  public subscript<Value: ColumnValue>(column: Int) -> Value? { isNull(column) ? nil : Value(self, column) }
}

/// A type for the values of a column.
public protocol ColumnValue {
  /// Reads the column.
  init(_ row: Row, _ column: Int)
}

extension Int64: ColumnValue {
  /// Reads the integer.
  public init(_ row: Row, _ column: Int) { self = unsafe sqlite3_column_int64(row.statement.pointer, Int32(column)) }
}

extension Int: ColumnValue {
  /// Reads a count, which 32 bits are enough for: a number beyond them is the nearest within, so that it can be counted on.
  public init(_ row: Row, _ column: Int) { self = Int(Int32(clamping: Int64(row, column))) }
}

extension UInt32: ColumnValue {
  /// Reads the lower 32 bits of the integer.
  public init(_ row: Row, _ column: Int) { self = UInt32(truncatingIfNeeded: Int64(row, column)) }
}

extension Bool: ColumnValue {
  /// Reads a number; every number except 0 is true.
  public init(_ row: Row, _ column: Int) { self = Int64(row, column) != 0 }
}

extension String: ColumnValue {
  /// Reads the text, with replacement characters for bytes that are not UTF-8.
  public init(_ row: Row, _ column: Int) {
    let (pointer, index) = unsafe (row.statement.pointer, Int32(column))
    guard let text = unsafe sqlite3_column_text(pointer, index) else {
      self = ""
      return
    }
    let count = unsafe Int(sqlite3_column_bytes(pointer, index))
    self = unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }
}

extension [UInt8]: ColumnValue {
  /// Reads the bytes.
  public init(_ row: Row, _ column: Int) {
    let (pointer, index) = unsafe (row.statement.pointer, Int32(column))
    guard let bytes = unsafe sqlite3_column_blob(pointer, index) else {
      self = []
      return
    }
    let count = unsafe Int(sqlite3_column_bytes(pointer, index))
    self = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
