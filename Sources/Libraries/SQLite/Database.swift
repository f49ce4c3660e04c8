import CSQLite

#if DEBUG || SIMULATION
  import CSQLiteCalls
#endif

/// A connection to an SQLite database. Only one thread at a time may use it.
@safe public final class Database {
  /// The way a connection opens its file.
  public enum Access: Sendable {
    /// For reading only; the file must exist.
    case reading
    /// For reading and writing; the file is created if it is missing.
    case writing
  }

  private var connection: OpaquePointer?
  /// The prepared statements that are kept, by their SQL.
  private var statements: [SQL: Statement] = [:]
  private let mostStatements: Int
  private var spareValues = Binding.Values()

  /// Opens a database.
  /// - Parameters:
  ///   - path: the file; `:memory:` for a database that only this connection has.
  ///   - busyTimeout: the maximum wait for another connection, in milliseconds.
  ///   - keeping: the maximum number of prepared statements to keep.
  public init(
    path: String, _ access: Access = .writing, busyTimeout: Int32 = 5000, keeping: Int = 16
  ) throws(SQLiteError) {
    let flags =
      switch access {
      case .reading: SQLITE_OPEN_READONLY
      case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    mostStatements = keeping
    _ = Self.isConfigured
    #if DEBUG || SIMULATION
      csqlite_watch_calls()
    #endif
    var connection: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &connection, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else {
      let extended = unsafe connection.map { unsafe sqlite3_extended_errcode($0) }
      let error = unsafe SQLiteError(code: extended ?? code, connection, file: path)
      _ = unsafe sqlite3_close_v2(connection)
      throw error
    }
    unsafe self.connection = connection
    #if DEBUG || SIMULATION
      unsafe csqlite_count_operations(connection)
    #endif
    _ = unsafe sqlite3_extended_result_codes(connection, 1)
    _ = unsafe sqlite3_busy_timeout(connection, busyTimeout)
  }

  deinit { close() }

  /// Sets SQLite up for the whole process, once: true if it took that. It does not once somebody else has used it, and works as well.
  private static let isConfigured = csqlite_keep_no_statistics() == SQLITE_OK

  /// Closes the connection. Whatever uses it afterwards is refused, with the code `SQLITE_MISUSE`.
  public func close() {
    statements = [:]
    _ = unsafe sqlite3_close_v2(connection)
    unsafe connection = nil
  }

  #if DEBUG || SIMULATION
    /// The approximate number of operations of all connections on this thread, for tests that limit the work for one thing.
    package static var operations: Int64 { csqlite_operations() }
  #endif

  /// The number of rows that were changed since the connection was opened; 0 after it was closed.
  public var totalChanges: Int { unsafe ifOpen { Int(unsafe sqlite3_total_changes($0)) } ?? 0 }

  /// Runs a statement that returns no rows.
  public func execute(_ sql: String, _ arguments: [(any Bindable)?] = []) throws(SQLiteError) {
    try binding(SQL(sql), arguments).run()
  }

  /// Runs several statements without parameters.
  public func execute(script: String) throws(SQLiteError) {
    let code = try unsafe withConnection { unsafe sqlite3_exec($0, script, nil, nil, nil) }
    guard code == SQLITE_OK else { throw error(code, sql: script) }
  }

  /// Returns a statement that has its first parameters, and gets the others one by one.
  /// - Throws: ``SQLiteError`` for SQL that the database does not accept.
  public func binding(_ sql: SQL, _ arguments: [(any Bindable)?] = []) throws(SQLiteError) -> Binding {
    var binding = Binding(try statement(sql), self)
    for argument in arguments { binding.add(argument) }
    return binding
  }

  /// Returns the rows of a query.
  public func rows(_ sql: String, _ arguments: [(any Bindable)?] = []) throws(SQLiteError) -> Rows {
    Rows(try binding(SQL(sql), arguments).bound(), self)
  }

  /// Reads the first row of a query; nil if it has none.
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func first<Value>(
    _ sql: String, _ arguments: [(any Bindable)?] = [], _ read: (Row) throws -> Value
  ) throws -> Value? {
    var rows = try rows(sql, arguments)
    return try rows.next().map(read)
  }

  /// Reads the rows of a query.
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func all<Value>(
    _ sql: String, _ arguments: [(any Bindable)?] = [], _ read: (Row) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    var rows = try rows(sql, arguments)
    while let row = try rows.next() { values.append(try read(row)) }
    return values
  }

  /// Reads the first column of the first row; nil if there is no row, or the column is null.
  /// - Throws: ``SQLiteError``.
  public func value<Value: ColumnValue>(_ sql: String, _ arguments: [(any Bindable)?] = []) throws -> Value? {
    try first(sql, arguments) { row -> Value? in row[0] } ?? nil
  }

  /// Reads the first column of all rows.
  /// - Throws: ``SQLiteError``.
  public func column<Value: ColumnValue>(_ sql: String, _ arguments: [(any Bindable)?] = []) throws -> [Value] {
    try all(sql, arguments) { $0[0] }
  }

  /// Reads the different texts of an index, one step in it for each, however many rows there are of one.
  /// - Parameter next: the query for the first text after its only parameter.
  /// - Throws: ``SQLiteError``.
  public func distinct(_ next: String) throws -> [String] {
    var texts: [String] = []
    while let text: String = try value(next, [texts.last ?? ""]) { texts.append(text) }
    return texts
  }

  /// Returns a kept statement that is not in use; otherwise prepares one.
  private func statement(_ sql: SQL) throws(SQLiteError) -> Statement {
    if let kept = statements[sql], !kept.isInUse { return kept }
    guard let connection = unsafe connection else { throw .closed }
    let isKept = statements[sql] == nil && mostStatements > 0
    let statement = try unsafe Statement(sql.text, connection, isKept: isKept)
    guard isKept else { return statement }
    if statements.count >= mostStatements { statements = statements.filter { $0.value.isInUse } }
    statements[sql] = statement
    return statement
  }

  /// Calls the body with the connection. SQLite itself does not check for a null pointer.
  func withConnection<Value>(_ body: (OpaquePointer) -> Value) throws(SQLiteError) -> Value {
    guard let value = unsafe ifOpen(body) else { throw .closed }
    return value
  }

  /// The same; nil if the connection is closed.
  func ifOpen<Value>(_ body: (OpaquePointer) -> Value) -> Value? { unsafe connection.map { unsafe body($0) } }

  func error(_ code: Int32, sql: String? = nil) -> SQLiteError { unsafe SQLiteError(code: code, connection, sql: sql) }

  func takeValues() -> Binding.Values { exchange(&spareValues, with: Binding.Values()) }

  func giveBack(_ values: Binding.Values) { spareValues = values }
}
