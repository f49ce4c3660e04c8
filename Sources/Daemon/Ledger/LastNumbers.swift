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

  /// Reads the numbers of a ledger.
  static func read(_ db: Database) throws -> LastNumbers {
    LastNumbers(
      jobs: try last([left("job", db), db.value("SELECT max(number) FROM job")]),
      events: try last([left("event", db), db.value("SELECT max(sequence) FROM event")]))
  }

  /// Returns the last number of the rows that have left.
  private static func left(_ table: String, _ db: Database) throws -> Int64? {
    try db.value("SELECT number FROM last_number WHERE name = ?", [table])
  }

  private static func last(_ numbers: [Int64?]) -> Int64 {
    numbers.compactMap(\.self).filter { (0...most).contains($0) }.max() ?? 0
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
