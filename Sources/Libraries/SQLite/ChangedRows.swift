#if DEBUG || SIMULATION
  import CSQLite
  import Synchronization

  /// The numbers of the rows that this process changes in its databases, whatever the table: for simulations, which read again only
  /// what was changed. SQLite itself tells of each row, so that nothing has to be believed of those who change them.
  package enum ChangedRows {
    /// Nil while nobody wants to know.
    private static let rows = Mutex<Set<Int64>?>(nil)

    /// Notes what connections change that are opened from now on.
    package static func begin() { rows.withLock { $0 = [] } }

    /// Returns the rows since this was last asked.
    package static func drain() -> Set<Int64> {
      rows.withLock { rows in
        defer { if rows != nil { rows = [] } }
        return rows ?? []
      }
    }

    static func watch(_ connection: OpaquePointer?) {
      guard rows.withLock({ $0 != nil }) else { return }
      _ = unsafe sqlite3_update_hook(
        connection, { _, _, _, _, row in ChangedRows.rows.withLock { _ = $0?.insert(row) } }, nil)
    }
  }
#endif
