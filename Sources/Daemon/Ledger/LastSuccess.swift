import Jobs
import SQLite

/// The success at a destination whose attempt began last. It distinguishes a key that is refused for one job alone from a key
/// that is refused for all.
struct LastSuccess: Hashable, Sendable {
  /// The number of events that are read to find the last successes again after a start.
  private static let eventsRead: Int64 = 1000

  /// The sequence of the last event when the success was recorded.
  var sequence: Int64
  /// The start of the attempt.
  var startedAt: Timestamp

  /// Returns the one of two that began later. A start in the future, from before the clock was set back, does not count.
  func orLater(_ other: LastSuccess?, now: Timestamp) -> LastSuccess {
    guard let other, other.startedAt > startedAt, other.startedAt <= now else { return self }
    return other
  }

  /// Reads the last successes of the destinations from the newest events. An older success is forgotten: then a job whose key
  /// is refused waits for another key once more before it asks.
  static func read(_ db: Database, upTo last: Int64) throws -> [String: LastSuccess] {
    var successes: [String: LastSuccess] = [:]
    for (destination, success, at) in try logged(db, after: last - eventsRead) + written(db, after: last - eventsRead) {
      successes[destination] = success.orLater(successes[destination], now: at)
    }
    return successes
  }

  private typealias Found = (destination: String, success: LastSuccess, at: Timestamp)

  /// Reads the successes that facts imply.
  private static func logged(_ db: Database, after sequence: Int64) throws -> [Found] {
    try LogRow.read(after: sequence, in: db).flatMap(\.entries).compactMap { entry in
      guard let job = try JobRow.job(entry.job, in: db), let facts = try FactHistory(of: entry.job, in: db),
        let event = facts.event(entry, of: job), let began = facts.began(entry.kind)
      else { return nil }
      return (
        destination(entry.kind == .uploaded, storage: job.ticket.storage, backend: job.ticket.backend),
        LastSuccess(sequence: entry.value, startedAt: began), event.at
      )
    }
  }

  /// Reads the successes that have rows of their own.
  private static func written(_ db: Database, after sequence: Int64) throws -> [Found] {
    try db.all(
      """
      SELECT event.sequence, event.at, attempt.started_at, event.kind, job.storage, job.backend FROM event \
      JOIN job ON job.number = event.job \
      JOIN attempt ON attempt.job = event.job AND attempt.step = event.step AND attempt.outcome = 'succeeded' \
      WHERE event.sequence > ? AND event.kind IN (?, ?) ORDER BY event.sequence
      """, [sequence, JobEvent.Kind.uploaded.rawValue, JobEvent.Kind.registered.rawValue]
    ) { row in
      let kind: String = row[3]
      return (
        destination(kind == JobEvent.Kind.uploaded.rawValue, storage: row[4], backend: row[5]),
        LastSuccess(sequence: row[0], startedAt: Timestamp(microseconds: row[2])), Timestamp(microseconds: row[1])
      )
    }
  }

  private static func destination(_ isUpload: Bool, storage: String, backend: String) -> String {
    isUpload ? "storage.\(storage)" : "backend.\(backend)"
  }
}
