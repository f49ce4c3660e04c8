import Jobs
import Messages
import SQLite

/// The last numbers that a ledger has given out, which a ledger that replaces it must not give out again.
struct LastNumbers: Sendable, Hashable {
  var jobs: Int64 = 0
  var events: Int64 = 0

  /// The largest plausible number: a larger one comes from damage.
  private static let most: Int64 = 1 << 52

  /// Reads the numbers from a ledger that may be damaged, as far as it can; nil if it can read nothing.
  static func salvaged(from path: String) throws -> LastNumbers? {
    try LedgerFiles.salvage(path) { db in
      let last = try read(db)
      return last == LastNumbers() ? nil : last
    }
  }

  static func read(_ db: Database) throws -> LastNumbers {
    func last(_ table: String, _ column: String) throws -> Int64 {
      let left: Int64? = try db.value("SELECT number FROM last_number WHERE name = ? AND number <= ?", [table, most])
      let there: Int64? = try db.value("SELECT max(\(column)) FROM \(table) WHERE \(column) <= ?", [most])
      return max(0, left ?? 0, there ?? 0)
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

/// Carries the ledger's times on the steady clock, at which waits end, from one daemon to the next.
/// A daemon's steady clock begins at the wall-clock time. The wall clock may have been set back since, so the next daemon's steady clock
/// may begin earlier than the last one ended. So the ledger notes the time with each wait and at each end, and times count from that note.
/// If the clock was set forward, waits end early.
enum CarriedTimes {
  private static let name = "time"
  /// The latest valid time, in the year 146,000: no sum overflows.
  private static let latest: Int64 = 1 << 62

  static func note(_ steady: Timestamp, in db: Database) throws {
    try db.execute("INSERT OR REPLACE INTO last_number VALUES (?, ?)", [name, steady.microseconds])
  }

  /// Converts the times to this daemon's clock. A job's wait is cut to `longest`, a gate's to the longest that a gate has: a later end
  /// is not a real time.
  static func carry(to steady: Timestamp, longest: Duration, in db: Database) throws {
    let noted: Int64 = try db.value("SELECT number FROM last_number WHERE name = ?", [name]) ?? 0
    let shift = max(0, min(noted, latest) -| max(0, steady.microseconds))
    let columns = [("job", "next_attempt_at", longest), ("gate", "until", Verdict.retryAfterLimits.upperBound)]
    for (table, column, longest) in columns {
      if shift > 0 {
        try db.execute("UPDATE \(table) SET \(column) = max(0, \(column)) - ? WHERE \(column) IS NOT NULL", [shift])
      }
      let last = (steady + longest).microseconds
      try db.execute("UPDATE \(table) SET \(column) = ? WHERE \(column) > ?", [last, last])
    }
    try note(steady, in: db)
  }
}
