import CPostgres

/// One connection to a PostgreSQL server. Its calls block, and only one thread at a time may use it.
///
/// Values are sent to the server only as parameters, never as a part of a statement.
@safe public final class PostgreSQLSession {
  private let connection: OpaquePointer

  /// The settings that apply unless the connection string has others. With them a dead server or line is noticed within half a
  /// minute, also while waiting for an answer.
  private static let defaults: [(String, String)] = [
    ("connect_timeout", "10"), ("tcp_user_timeout", "20000"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
    ("keepalives_count", "3"), ("application_name", "waybill-fleet"),
  ]

  /// Names without a schema mean PostgreSQL's own objects. If anybody may create objects in `public`, a role could otherwise put
  /// its own function or operator there, and everybody who queries a table would run it.
  private static let searchPath = "SET search_path = pg_catalog, pg_temp"

  /// Connects, and waits until that has succeeded or failed.
  /// - Parameter database: a connection string or URI in the form of libpq (PostgreSQL manual, section 34.1.1).
  public init(_ database: String) throws(PostgreSQLError) {
    // If a name occurs twice, the later value counts; `dbname` is replaced by everything in the connection string.
    let settings = Self.defaults + [("dbname", database), ("client_encoding", "UTF8")]
    guard !settings.contains(where: { $0.1.utf8.contains(0) }) else {
      throw PostgreSQLError(sqlState: nil, message: "the connection string has a NUL byte in it")
    }
    let made = unsafe CTexts.with(settings.map(\.0)) { names in
      unsafe CTexts.with(settings.map(\.1)) { values in unsafe PQconnectdbParams(names, values, 1) }
    }
    guard let made = unsafe made else { throw PostgreSQLError(sqlState: nil, message: "there is no memory for it") }
    guard unsafe PQstatus(made) == CONNECTION_OK else {
      let message = unsafe Self.message(PQerrorMessage(made))
      unsafe PQfinish(made)
      throw PostgreSQLError(sqlState: nil, message: message)
    }
    unsafe cpostgres_ignore_notices(made)
    unsafe connection = made
    try query(Self.searchPath)
  }

  deinit { unsafe PQfinish(connection) }

  /// False if the connection was lost. A server that ends says so before the end, so there are two things to read.
  var isAlive: Bool {
    unsafe PQconsumeInput(connection) == 1 && PQconsumeInput(connection) == 1 && PQstatus(connection) == CONNECTION_OK
  }

  /// Runs one statement and returns its rows. The values replace `$1`, `$2`, …; nil is NULL.
  @discardableResult
  public func query(_ sql: String, _ values: [String?] = []) throws(PostgreSQLError) -> PostgreSQLRows {
    guard !values.contains(where: { $0.map(CTexts.hasNUL) ?? false }) else {
      throw PostgreSQLError(sqlState: "22021", message: "a text with a NUL byte cannot be stored")
    }
    let result = unsafe CTexts.with(values) { texts in
      unsafe PQexecParams(connection, sql, Int32(values.count), nil, texts, nil, nil, 0)
    }
    defer { unsafe PQclear(result) }
    return unsafe PostgreSQLRows(try checked(result))
  }

  /// Runs several statements without values, in one transaction.
  public func execute(script: String) throws(PostgreSQLError) {
    let result = unsafe PQexec(connection, script)
    defer { unsafe PQclear(result) }
    _ = unsafe try checked(result)
  }

  /// Runs the body in a transaction, which is rolled back after an error.
  public func transaction<Value>(_ body: () throws -> Value) throws -> Value {
    try query("BEGIN")
    do {
      let value = try body()
      try query("COMMIT")
      return value
    } catch {
      // Ignored: after the loss of a connection, the server rolls back by itself.
      if isAlive { _ = try? query("ROLLBACK") }
      throw error
    }
  }

  private func checked(_ result: OpaquePointer?) throws(PostgreSQLError) -> OpaquePointer {
    guard let result = unsafe result else {
      throw PostgreSQLError(sqlState: nil, message: unsafe Self.message(PQerrorMessage(connection)))
    }
    switch unsafe PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return unsafe result
    default:
      let state = unsafe cpostgres_sqlstate(result).map { unsafe String(cString: $0) }
      let words = unsafe cpostgres_primary_message(result).map { unsafe String(cString: $0) }
      throw PostgreSQLError(sqlState: state, message: unsafe words ?? Self.message(PQerrorMessage(connection)))
    }
  }

  /// libpq's text ends with a line end and may have several lines.
  private static func message(_ text: UnsafeMutablePointer<CChar>?) -> String {
    let words = unsafe text.map { unsafe String(cString: $0) } ?? "the reason is not known"
    return words.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
