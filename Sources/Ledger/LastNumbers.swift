import GRDB
import LinuxFiles

/// The last numbers that a ledger has given out, which another one in its place is not to give out again.
struct LastNumbers: Sendable, Hashable {
  var jobs: Int64
  var events: Int64 = 0

  /// More than any ledger counts: a number beyond it is not one.
  private static let most: Int64 = 1 << 52

  /// What can be read of them in a ledger that may be damaged; nil where nothing can.
  static func salvaged(from path: String) -> LastNumbers? {
    do {
      // of a file without a byte SQLite would throw the log of writes away
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

  /// Has the ledger go on after these, where it is behind.
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
