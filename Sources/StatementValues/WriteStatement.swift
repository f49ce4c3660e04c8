public import GRDB
import GRDBSQLite
import Synchronization

/// A statement that writes a row: takes its values one after the other, then runs.
///
/// Values go to SQLite straight from where they are. GRDB's own arguments fit any type and any number of statements.
/// They are boxed, converted and checked one by one. A job has some hundred values, and that costs it more than
/// SQLite's work. To be used and let go within one access to the database.
@safe public struct WriteStatement: ~Copyable {
  /// Texts and bytes, one behind the other, until the statement runs.
  private struct Values {
    var bytes: [UInt8] = []
    var places: [(index: Int32, start: Int, count: Int, isText: Bool)] = []

    mutating func removeAll() {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 64 << 10)
      places.removeAll(keepingCapacity: true)
    }
  }

  private let pointer: OpaquePointer
  private var index: Int32 = 0
  private var code = SQLITE_OK
  private var values: Values

  /// The memory of the last statement. SQLite is handed its values where they lie, so that it need not copy each to
  /// memory of its own.
  private static let spare = Mutex(Values())

  /// A statement of the database's cache. It must return no rows.
  public init(_ sql: String, _ database: Database) throws {
    unsafe pointer = try database.cachedStatement(sql: sql).sqliteStatement
    _ = unsafe sqlite3_reset(pointer)
    values = Self.spare.withLock { exchange(&$0, with: Values()) }
  }

  /// Adds a whole number, or null.
  public mutating func add(_ value: Int64?) {
    index += 1
    if let value {
      keep(unsafe sqlite3_bind_int64(pointer, index, value))
    } else {
      keep(unsafe sqlite3_bind_null(pointer, index))
    }
  }

  /// Adds a whole number, or null.
  public mutating func add(_ value: Int?) { add(value.map { Int64($0) }) }

  /// Adds 0, 1 or null.
  public mutating func add(_ value: Bool?) { add(value.map { $0 ? Int64(1) : 0 }) }

  /// Adds a text, or null.
  public mutating func add(_ value: String?) {
    index += 1
    guard let value else { return keep(unsafe sqlite3_bind_null(pointer, index)) }
    let start = values.bytes.count
    values.bytes.append(contentsOf: value.utf8)
    values.places.append((index, start, values.bytes.count - start, isText: true))
  }

  /// Adds bytes, or null.
  public mutating func add(_ value: [UInt8]?) {
    index += 1
    guard let value else { return keep(unsafe sqlite3_bind_null(pointer, index)) }
    values.places.append((index, values.bytes.count, value.count, isText: false))
    values.bytes.append(contentsOf: value)
  }

  /// Runs the statement. Each of its parameters must have been given a value.
  ///
  /// - Throws: `DatabaseError`, for a value that SQLite does not take as well.
  public consuming func run() throws {
    assert(unsafe sqlite3_bind_parameter_count(pointer) == index, "a statement with \(index) values")
    values.bytes.append(0)  // so that there is an address to name, and every value lies before the end
    let (pointer, places) = unsafe (pointer, values.places)
    var (code, message) = (self.code, String?.none)
    unsafe values.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for place in places where code == SQLITE_OK {
        code = unsafe Self.bind(pointer, place.index, base + place.start, Int32(place.count), isText: place.isText)
      }
      if code == SQLITE_OK { code = unsafe sqlite3_step(pointer) }
      if code != SQLITE_DONE { message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer))) }
      _ = unsafe sqlite3_reset(pointer)
      _ = unsafe sqlite3_clear_bindings(pointer)
    }
    values.removeAll()
    Self.spare.withLock { $0 = values }
    guard code != SQLITE_DONE else { return }
    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }

  /// Without a destructor (SQLITE_STATIC): the value stays where it is until the statement was run and has let go of it.
  private static func bind(
    _ pointer: OpaquePointer, _ index: Int32, _ start: UnsafeRawPointer, _ count: Int32, isText: Bool
  ) -> Int32 {
    if isText {
      unsafe sqlite3_bind_text(pointer, index, start.assumingMemoryBound(to: CChar.self), count, nil)
    } else {
      unsafe sqlite3_bind_blob(pointer, index, start, count, nil)
    }
  }

  private mutating func keep(_ result: Int32) {
    if code == SQLITE_OK { code = result }
  }
}
