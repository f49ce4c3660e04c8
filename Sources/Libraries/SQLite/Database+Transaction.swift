import CSQLite

extension Database {
  /// The kind of a transaction's beginning.
  public enum TransactionKind: String, Sendable {
    /// It sees one state of the database, from its first read on.
    case deferred = "BEGIN DEFERRED"
    /// It may write at once, and waits for another writer at its beginning.
    case immediate = "BEGIN IMMEDIATE"
  }

  /// Runs the body as one transaction: it is committed as a whole or, if anything throws, not at all.
  /// - Throws: ``SQLiteError``, or the error of the body.
  public func transaction<Value>(_ kind: TransactionKind, _ body: () throws -> Value) throws -> Value {
    try execute(kind.rawValue)
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // Some errors, such as a full disk, end the transaction by themselves.
      if isInTransaction {
        do {
          try execute("ROLLBACK")
        } catch {
          // The first error is thrown; a connection that cannot roll back fails again at its next use.
        }
      }
      throw error
    }
  }

  private var isInTransaction: Bool { unsafe ifOpen { unsafe sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Makes SQLite keep the write-ahead log when the last connection closes (`SQLITE_FCNTL_PERSIST_WAL`), so that a missing log
  /// always means that it was lost.
  public func keepWriteAheadLog() throws(SQLiteError) {
    var keeps: Int32 = 1
    let code = try unsafe withConnection { unsafe sqlite3_file_control($0, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps) }
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Copies as much of the write-ahead log into the database as readers allow.
  /// - Returns: true if all of it was copied, so that the next transaction starts the log again.
  public func copyWriteAheadLog() throws(SQLiteError) -> Bool {
    var all: Int32 = 0
    var copied: Int32 = 0
    let code = try unsafe withConnection {
      unsafe sqlite3_wal_checkpoint_v2($0, nil, SQLITE_CHECKPOINT_PASSIVE, &all, &copied)
    }
    guard code == SQLITE_OK else { throw error(code) }
    return all == copied
  }

  /// Copies the write-ahead log into the database and empties it.
  /// - Throws: ``SQLiteError``; with `isBusy` if another connection reads.
  public func emptyWriteAheadLog() throws(SQLiteError) {
    let code = try unsafe withConnection {
      unsafe sqlite3_wal_checkpoint_v2($0, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Releases memory that the connection does not need: unchanged pages of its cache. A closed connection has none.
  public func releaseMemory() { _ = unsafe ifOpen { unsafe sqlite3_db_release_memory($0) } }
}
