import GRDB
import Jobs

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
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT event.sequence, event.at, attempt.started_at, event.kind, job.storage, job.backend FROM event \
        JOIN job ON job.number = event.job \
        JOIN attempt ON attempt.job = event.job AND attempt.step = event.step AND attempt.outcome = 'succeeded' \
        WHERE event.sequence > ? AND event.kind IN (?, ?) ORDER BY event.sequence
        """,
      arguments: [last - eventsRead, JobEvent.Kind.uploaded.rawValue, JobEvent.Kind.registered.rawValue])
    var successes: [String: LastSuccess] = [:]
    while let row = try rows.next() {
      let (kind, storage, backend): (String, String, String) = (row[3], row[4], row[5])
      let destination = kind == JobEvent.Kind.uploaded.rawValue ? "storage.\(storage)" : "backend.\(backend)"
      let success = LastSuccess(sequence: row[0], startedAt: Timestamp(microseconds: row[2]))
      successes[destination] = success.orLater(successes[destination], now: Timestamp(microseconds: row[1]))
    }
    return successes
  }
}
