import SQLite

/// The last numbers that a ledger has given out, which a ledger that replaces it must not give out again.
struct LastNumbers: Sendable, Hashable {
  var jobs: Int64 = 0
  var events: Int64 = 0

  /// The largest plausible number: a larger one comes from damage.
  private static let most: Int64 = 1 << 52

  /// Reads the numbers from a ledger that may be damaged, as far as it can; nil if it can read nothing.
  ///
  /// - Throws: an error that may pass: the next start reads it.
  static func salvaged(from path: String) throws -> LastNumbers? {
    try LedgerFiles.salvage(path) { db in
      let last = try read(db)
      return last == LastNumbers() ? nil : last
    }
  }

  static func read(_ db: Database) throws -> LastNumbers {
    func last(_ table: String, _ column: String) throws -> Int64 {
      let left: Int64? = try db.value("SELECT number FROM last_number WHERE name = ?", [table])
      let there: Int64? = try db.value("SELECT max(\(column)) FROM \(table)")
      return [left, there].compactMap(\.self).filter { (0...most).contains($0) }.max() ?? 0
    }
    return LastNumbers(jobs: try last("job", "number"), events: try last("event", "sequence"))
  }

  /// Makes the ledger continue after these numbers, if its own are lower.
  func keep(in db: Database) throws {
    for (table, last) in [("job", jobs), ("event", events)] {
      try db.execute(
        """
        INSERT INTO last_number VALUES (?, ?) \
        ON CONFLICT (name) DO UPDATE SET number = max(number, excluded.number)
        """, [table, last])
    }
  }
}
