public import Jobs
import Messages
import SQLite

/// The last admission from a spool, or the beginning of the wait for the first.
public struct Arrival: Hashable, Sendable {
  /// The time of the admission; if there was none, the time since which a file is expected.
  public var at: Timestamp
  /// False if no file was admitted.
  public var isFile: Bool
  /// The end of the last pause of the intake, if no file was admitted since.
  public var resumedAt: Timestamp?
}

/// The rows of `arrival`. Writing one with each small job would add a page to each commit, so a row is written at most once a minute.
/// After a start, the newest jobs supply the rest.
enum ArrivalRow {
  /// The time for which a row may be late.
  static let lateness = Duration.seconds(60)
  /// The number of jobs that are read to find the last arrivals again after a start.
  private static let jobsRead: Int64 = 1000

  static func read(_ db: Database, lastNumber: Int64) throws -> [String: Arrival] {
    var arrivals: [String: Arrival] = [:]
    var rows = try db.rows("SELECT spool, at, is_file, resumed_at FROM arrival")
    while let row = try rows.next() {
      var reader = ColumnReader(row: row)
      let spool: String = reader.next()
      arrivals[spool] = Arrival(at: reader.nextTime(), isFile: reader.next(), resumedAt: reader.optionalTime())
    }
    let newest = try db.all(
      "SELECT spool, max(created_at) FROM job WHERE number > ? GROUP BY spool", [lastNumber -| jobsRead]
    ) { row in (row[0] as String, Timestamp(stored: row[1])) }
    for (spool, time) in newest {
      if let known = arrivals[spool], known.isFile, known.at >= time { continue }
      arrivals[spool] = Arrival(at: time, isFile: true, resumedAt: arrivals[spool]?.resumedAt)
    }
    return arrivals
  }

  static func write(_ arrival: Arrival, of spool: String, into db: Database) throws {
    try db.execute(
      "INSERT OR REPLACE INTO arrival VALUES (?, ?, ?, ?)",
      [spool, arrival.at.microseconds, arrival.isFile, arrival.resumedAt?.microseconds])
  }
}

extension LedgerBatch {
  mutating func arrived(in spool: String) {
    counts.arrivals[spool] = Arrival(at: clock.now(), isFile: true)
    memory.position.changedArrivals.insert(spool)
  }

  /// Notes that files are taken again: the time of a paused intake does not count as silence.
  mutating func intakeResumed() {
    let now = clock.now()
    for spool in counts.arrivals.keys {
      counts.arrivals[spool]?.resumedAt = now
      memory.position.changedArrivals.insert(spool)
    }
  }

  /// Writes the rows of the arrivals that are too late.
  mutating func writeArrivals() throws {
    for spool in memory.position.changedArrivals {
      guard let arrival = counts.arrivals[spool] else { continue }
      if let stored = memory.position.storedArrivals[spool], stored.isFile == arrival.isFile,
        stored.resumedAt == arrival.resumedAt
      {
        // A clock that was set back makes a row late too.
        guard arrival.at - stored.at >= ArrivalRow.lateness || arrival.at < stored.at else { continue }
      }
      try ArrivalRow.write(arrival, of: spool, into: db)
      memory.position.storedArrivals[spool] = arrival
    }
    memory.position.changedArrivals.removeAll()
  }
}

extension JobLedger {
  /// Expects files in these spools from now on; does nothing for spools that had files or are expected to.
  public func expectFiles(in spools: [String]) async throws {
    try await writer.perform { batch in
      for spool in spools where batch.counts.arrivals[spool] == nil {
        batch.counts.arrivals[spool] = Arrival(at: batch.clock.now(), isFile: false)
        batch.memory.position.changedArrivals.insert(spool)
      }
    }
  }
}
