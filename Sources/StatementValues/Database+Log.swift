public import GRDB
import GRDBSQLite

extension Database {
  /// Has SQLite leave the log of writes where it is when the last connection closes (`SQLITE_FCNTL_PERSIST_WAL`): a log that
  /// is gone is one that was lost.
  ///
  /// - Throws: `DatabaseError` where SQLite does not take it.
  public func keepWriteAheadLog() throws {
    var keeps: Int32 = 1
    let code = unsafe sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
