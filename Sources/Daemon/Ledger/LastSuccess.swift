import Jobs
import Messages
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
  static func read(_ db: Database, upTo last: Int64) throws -> [Destination: LastSuccess] {
    var successes: [Destination: LastSuccess] = [:]
    let found = try db.all(
      """
      SELECT event.sequence, event.at, event.began_at, event.kind, ticket.storage, ticket.backend FROM event \
      JOIN ticket ON ticket.job = event.job \
      WHERE event.sequence > ? AND event.kind IN (?, ?) AND event.outcome = 'succeeded' ORDER BY event.sequence
      """, [last -| eventsRead, JobEvent.Kind.uploaded.rawValue, JobEvent.Kind.registered.rawValue]
    ) { row in
      let kind: String = row[3]
      return (
        destination(kind == JobEvent.Kind.uploaded.rawValue, storage: row[4], backend: row[5]),
        LastSuccess(sequence: row[0], startedAt: Timestamp(microseconds: row[2])), Timestamp(microseconds: row[1])
      )
    }
    for (destination, success, at) in found {
      successes[destination] = success.orLater(successes[destination], now: at)
    }
    return successes
  }

  private static func destination(_ isUpload: Bool, storage: String, backend: String) -> Destination {
    isUpload ? .storage(storage) : .backend(backend)
  }
}
