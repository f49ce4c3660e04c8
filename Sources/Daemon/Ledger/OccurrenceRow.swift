import Jobs
import Messages
import SQLite

/// A row of the log of events that concerns no job.
enum OccurrenceRow {
  /// The columns of an event that concerns no job, in addition to those of all events.
  static let columns = "event.destination, event.spool, event.until, event.message"

  static func insert(_ occurrence: Occurrence, into db: Database) throws {
    let (destination, spool): (String?, String?) =
      switch occurrence.subject {
      case .target(let target): (target.name, nil)
      case .spool(let name): (nil, name)
      case .ledger, .configuration: (nil, nil)
      }
    try db.execute(
      """
      INSERT INTO event (sequence, at, kind, by_uid, by_user, reason, destination, spool, until, message) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        occurrence.sequence, occurrence.at.microseconds, occurrence.kind.rawValue,
        occurrence.by.map { Int64($0.uid) }, occurrence.by?.user, occurrence.reason?.stored, destination, spool,
        occurrence.until?.microseconds, occurrence.said.stored,
      ])
  }

  /// Removes events that are older than those from which readers can resume. They are in no job's history.
  static func removeOld(_ db: Database, last: Int64) throws {
    try db.execute(
      "DELETE FROM event INDEXED BY event_of_none WHERE job IS NULL AND sequence <= ?", [last -| JobLedger.eventsKept])
  }

  /// Reads the row of an event that concerns no job.
  ///
  /// - Parameter column: the index of the first of ``columns``.
  static func occurrence(_ row: Row, at column: Int, sequence: Int64, _ head: EventRow.Head) throws -> Occurrence {
    let (destination, spool): (String?, String?) = (row[column], row[column + 1])
    let until: Int64? = row[column + 2]
    let name = head.kind ?? ""
    guard let kind = Occurrence.Kind(rawValue: name) else {
      throw LedgerError(.configuration, "the ledger has the event \"\(name)\", which this program does not know")
    }
    let subject: Occurrence.Subject =
      if let destination {
        .target(try Pause.Target(stored: destination))
      } else if let spool {
        .spool(spool)
      } else {
        kind == .reloaded ? .configuration : .ledger
      }
    var occurrence = Occurrence(
      kind, of: subject, at: head.at, message: Message(stored: row[column + 3]), reason: head.reason,
      until: until.map(Timestamp.init(microseconds:)), by: head.by)
    occurrence.sequence = sequence
    return occurrence
  }
}
