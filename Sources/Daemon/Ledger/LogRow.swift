import Jobs
import SQLite

/// A row of `log`: the happenings of one commit that facts imply.
enum LogRow {
  /// The entries of a row, and its key.
  struct Commit {
    let sequence: Int64
    let entries: [LogEntry]
  }

  private static let columns = "sequence, at, entries"

  static func insert(_ entries: [LogEntry], sequence: Int64, at time: Timestamp, into db: Database) throws {
    var row = try db.binding("INSERT INTO log (\(columns)) VALUES (?, ?, ?)")
    row.add(sequence)
    row.add(time.microseconds)
    row.add(LogEntries.encode(entries, sequence: sequence, time: time.microseconds))
    try row.run()
  }

  /// Returns the first rows after a sequence: the row of an event has that event's sequence or a later one.
  static func read(after sequence: Int64, limit: Int = .max, in db: Database) throws -> [Commit] {
    try db.all("SELECT \(columns) FROM log WHERE sequence > ? ORDER BY sequence LIMIT ?", [sequence, limit], commit)
  }

  /// Returns the rows that may have events after a sequence and up to another.
  static func read(after sequence: Int64, through last: Int64, in db: Database) throws -> [Commit] {
    try db.all(
      """
      SELECT \(columns) FROM log WHERE sequence > ? \
      AND sequence <= coalesce((SELECT min(sequence) FROM log WHERE sequence >= ?), ?) ORDER BY sequence
      """, [sequence, last, last], commit)
  }

  /// Calls the body for each row, the oldest first.
  static func forEach(in db: Database, _ body: (Commit) throws -> Void) throws {
    var rows = try db.rows("SELECT \(columns) FROM log ORDER BY sequence")
    while let row = try rows.next() { try body(commit(row)) }
  }

  /// Returns the sequence of the last row; nil if there is none.
  static func last(_ db: Database) throws -> Int64? { try db.value("SELECT max(sequence) FROM log") }

  /// Returns the sequence of the last row before a time; nil if there is none.
  static func last(before time: Timestamp, in db: Database) throws -> Int64? {
    try db.value("SELECT sequence FROM log WHERE at < ? ORDER BY sequence DESC LIMIT 1", [time.microseconds])
  }

  /// Removes the rows from which nobody can resume any more.
  static func removeOld(_ db: Database, last: Int64) throws {
    try db.execute("DELETE FROM log WHERE sequence <= ?", [last - JobLedger.eventsKept])
  }

  private static func commit(_ row: Row) throws -> Commit {
    let (sequence, time): (Int64, Int64) = (row[0], row[1])
    return Commit(sequence: sequence, entries: try LogEntries.decode(row[2], sequence: sequence, time: time))
  }
}
