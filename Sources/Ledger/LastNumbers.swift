import GRDB
import LinuxFiles

/// The last numbers that a ledger has given out, which a ledger that replaces it must not give out again.
struct LastNumbers: Sendable, Hashable {
  var jobs: Int64
  var events: Int64 = 0

  /// A number larger than any ledger reaches: a value beyond it is not a real number.
  private static let most: Int64 = 1 << 52

  /// Reads the numbers from a ledger that may be damaged, as far as it can; nil if it can read nothing.
  static func salvaged(from path: String) -> LastNumbers? {
    do {
      // SQLite would throw away the log of writes of an empty file
      guard try OpenFile(following: Array(path.utf8)).facts().size > 0 else { return nil }
      let queue = try DatabaseQueue(path: path, configuration: .reading)
      defer { try? queue.close() }  // it was only read
      return try queue.inDatabase { db in try read(db) }
    } catch {
      return nil  // the ledger is damaged, as has been told
    }
  }

  static func read(_ db: Database) throws -> LastNumbers? {
    func last(_ table: String) throws -> Int64? {
      try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
    }
    guard let jobs = try last("job"), (0...most).contains(jobs) else { return nil }
    let events = try last("event") ?? 0
    return LastNumbers(jobs: jobs, events: (0...most).contains(events) ? events : 0)
  }

  /// Makes the ledger go on after these numbers, if it is behind.
  func keep(in db: Database) throws {
    for (table, last) in [("job", jobs), ("event", events)] {
      let own = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
      if own == nil {
        try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, last])
      } else if let own, own < last {
        try db.execute(sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", arguments: [last, table])
      }
    }
  }
}
