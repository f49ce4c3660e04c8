import Linux
import SQLite

/// The last numbers that a ledger has given out, which a ledger that replaces it must not give out again.
struct LastNumbers: Sendable, Hashable {
  var jobs: Int64
  var events: Int64 = 0

  /// A number larger than any ledger reaches: a value beyond it is not a real number.
  private static let most: Int64 = 1 << 52

  /// Reads the numbers from a ledger that may be damaged, as far as it can; nil if it can read nothing.
  ///
  /// - Throws: an error that may pass: the next start reads it.
  static func salvaged(from path: String) throws -> LastNumbers? {
    do {
      // SQLite would throw away the log of writes of an empty file
      guard try OpenFile(following: Array(path.utf8)).facts().size > 0 else { return nil }
      return try read(try Database(path: path, .reading))
    } catch  where LedgerError.mayPass(error) {
      throw error
    } catch {
      return nil  // the ledger is damaged, as has been told
    }
  }

  /// Reads the numbers of a ledger; nil if it has none that can be.
  static func read(_ db: Database) throws -> LastNumbers? {
    let jobs = try last([given("job", db), db.value("SELECT max(number) FROM job")])
    let logged = try db.hasTable("log") ? LogRow.last(db) : nil
    let events = try last([given("event", db), logged])
    return jobs == nil && events == nil ? nil : LastNumbers(jobs: jobs ?? 0, events: events ?? 0)
  }

  /// Returns the number that is kept beside a table's rows, which may have left.
  private static func given(_ table: String, _ db: Database) throws -> Int64? {
    try db.value("SELECT seq FROM sqlite_sequence WHERE name = ?", [table])
  }

  private static func last(_ numbers: [Int64?]) -> Int64? {
    numbers.compactMap(\.self).filter { (0...most).contains($0) }.max()
  }

  /// Makes the ledger go on after these numbers, if it is behind.
  func keep(in db: Database) throws {
    for (table, last) in [("job", jobs), ("event", events)] {
      let own = try Self.given(table, db)
      if own == nil {
        try db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, last])
      } else if let own, own < last {
        try db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [last, table])
      }
    }
  }
}
