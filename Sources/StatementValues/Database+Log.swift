import CSQLite
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

  /// Gives the connection slots for so many small allocations ("Dynamic Memory Allocation In SQLite", section 3.3). SQLite's
  /// default has room for 100; the statements that are kept take all of them, and every further allocation is malloc's.
  ///
  /// It must come before the first statement. Throws `DatabaseError` with SQLITE_BUSY otherwise.
  public func reserveSmallAllocations(_ count: Int32) throws {
    let code = unsafe csqlite_set_lookaside(sqliteConnection, 1200, count)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
