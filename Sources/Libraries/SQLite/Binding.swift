import CSQLite

/// A statement that gets its parameters one after the other, and then runs. Texts and bytes are in one buffer, so that SQLite need not copy
/// each.
@safe public struct Binding: ~Copyable {
  fileprivate struct Slice {
    let index: Int32
    let start: Int
    let count: Int
    let isText: Bool
  }

  /// Texts and bytes, one after the other, until the statement has run.
  struct Values {
    fileprivate var bytes: [UInt8] = []
    fileprivate var places: [Slice] = []

    fileprivate mutating func removeAll() {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 64 << 10)
      places.removeAll(keepingCapacity: true)
    }
  }

  private let statement: Statement
  private let database: Database
  private var index: Int32 = 0
  private var code = SQLITE_OK
  private var values: Values

  init(_ statement: Statement, _ database: Database) {
    self.statement = statement
    self.database = database
    values = database.takeValues()
  }

  /// Adds an integer, or null.
  public mutating func add(_ value: Int64?) {
    index += 1
    if let value {
      keep(unsafe sqlite3_bind_int64(statement.pointer, index, value))
    } else {
      keep(unsafe sqlite3_bind_null(statement.pointer, index))
    }
  }

  /// Adds an integer, or null.
  public mutating func add(_ value: Int?) { add(value.map { Int64($0) }) }

  /// Adds 0, 1 or null.
  public mutating func add(_ value: Bool?) { add(value.map { $0 ? Int64(1) : 0 }) }

  /// Adds a text, or null.
  public mutating func add(_ value: String?) {
    index += 1
    guard let value else { return keep(unsafe sqlite3_bind_null(statement.pointer, index)) }
    let start = values.bytes.count
    values.bytes.append(contentsOf: value.utf8)
    values.places.append(Slice(index: index, start: start, count: values.bytes.count - start, isText: true))
  }

  /// Adds bytes, or null.
  public mutating func add(_ value: [UInt8]?) {
    index += 1
    guard let value else { return keep(unsafe sqlite3_bind_null(statement.pointer, index)) }
    values.places.append(Slice(index: index, start: values.bytes.count, count: value.count, isText: false))
    values.bytes.append(contentsOf: value)
  }

  /// Adds a value, or null.
  mutating func add(_ value: (any Bindable)?) {
    if let value { value.bind(to: &self) } else { add(Int64?.none) }
  }

  /// Runs the statement, which returns no rows. All parameters must have a value that SQLite accepts.
  public consuming func run() throws(SQLiteError) {
    let code = unsafe end(copying: false) { unsafe sqlite3_step($0) }
    let error = code == SQLITE_DONE || code == SQLITE_ROW ? nil : database.error(code, sql: statement.sql)
    statement.reset()
    values.removeAll()
    database.giveBack(values)
    if let error { throw error }
  }

  /// Returns the statement with its values, ready to be stepped through. SQLite has copied the values.
  consuming func bound() throws(SQLiteError) -> Statement {
    let code = unsafe end(copying: true) { _ in SQLITE_OK }
    values.removeAll()
    database.giveBack(values)
    guard code == SQLITE_OK else {
      let error = database.error(code, sql: statement.sql)
      statement.reset()
      throw error
    }
    return statement
  }

  /// Binds the values, and then runs the body; returns the first code of an error, or that of the body.
  private mutating func end(copying copies: Bool, _ body: (OpaquePointer) -> Int32) -> Int32 {
    assert(unsafe sqlite3_bind_parameter_count(statement.pointer) == index, "a statement with \(index) values")
    let (pointer, places) = unsafe (statement.pointer, values.places)
    var code = self.code
    values.bytes.append(0)  // so that the buffer has an address, and every value lies before its end
    unsafe values.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for place in places where code == SQLITE_OK { code = unsafe Self.bind(pointer, place, base, copies: copies) }
      if code == SQLITE_OK { code = unsafe body(pointer) }
    }
    return code
  }

  /// Binds a value. Without a copy (SQLITE_STATIC), the value must stay valid until the statement has run and was reset.
  private static func bind(
    _ pointer: OpaquePointer, _ place: Slice, _ base: UnsafeRawPointer, copies: Bool
  ) -> Int32 {
    let start = unsafe base + place.start
    let destructor = unsafe copies ? csqlite_transient() : nil
    return if place.isText {
      unsafe sqlite3_bind_text(
        pointer, place.index, start.assumingMemoryBound(to: CChar.self), Int32(place.count), destructor)
    } else {
      unsafe sqlite3_bind_blob(pointer, place.index, start, Int32(place.count), destructor)
    }
  }

  private mutating func keep(_ result: Int32) {
    if code == SQLITE_OK { code = result }
  }
}
