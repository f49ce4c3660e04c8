#if DEBUG || SIMULATION
  import CSQLite
  import Synchronization

  /// The ids of the rows that this process changes in its databases, in any table. Simulations read only changed rows again.
  /// SQLite reports each row itself, so this does not depend on the code that changes them.
  package enum ChangedRows {
    /// The ids; nil while they are not recorded.
    private static let rows = Mutex<Set<Int64>?>(nil)

    /// Begins to record changes, on connections that are opened after this.
    package static func begin() { rows.withLock { $0 = [] } }

    /// Returns the rows that were changed since the last call.
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
