import CSQLite

/// A prepared statement of one connection.
@safe final class Statement {
  let pointer: OpaquePointer
  let sql: String
  /// True while its rows are being read.
  var isInUse = false

  /// - Throws: ``SQLiteError`` for SQL that the database does not accept.
  init(_ sql: String, _ connection: OpaquePointer, isKept: Bool) throws(SQLiteError) {
    var pointer: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = unsafe sqlite3_prepare_v3(connection, sql, -1, flags, &pointer, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, connection, sql: sql) }
    guard let pointer = unsafe pointer else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement") }
    unsafe self.pointer = pointer
    self.sql = sql
  }

  deinit { unsafe sqlite3_finalize(pointer) }

  /// Releases the values and prepares the statement for its next run.
  func reset() {
    _ = unsafe sqlite3_reset(pointer)
    _ = unsafe sqlite3_clear_bindings(pointer)
    isInUse = false
  }
}
