import GRDB
import Jobs

/// A row of the log of events that concerns no job.
enum OccurrenceRow {
  /// The columns that ``occurrence(_:)`` reads beside those that all events have.
  static let columns = "event.destination, event.spool, event.until, event.message"

  static func insert(_ occurrence: Occurrence, into db: Database) throws {
    let (destination, spool): (String?, String?) =
      switch occurrence.subject {
      case .destination(let name): (name, nil)
      case .spool(let name): (nil, name)
      case .ledger: (nil, nil)
      }
    try db.cachedStatement(
      sql: """
        INSERT INTO event (sequence, at, kind, by_uid, by_user, reason, destination, spool, until, message) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      occurrence.sequence, occurrence.at.microseconds, occurrence.kind.rawValue, occurrence.by.map { Int64($0.uid) },
      occurrence.by?.user, occurrence.reason, destination, spool, occurrence.until?.microseconds, occurrence.message,
    ])
  }

  /// Removes events that are older than those from which readers can resume. They are in no job's history.
  static func removeOld(_ db: Database, last: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM event WHERE job IS NULL AND sequence <= ?")
      .execute(arguments: [last - JobLedger.eventsKept])
  }

  static func occurrence(_ row: Row) throws -> Occurrence {
    let destination: String? = row["destination"]
    let spool: String? = row["spool"]
    let subject: Occurrence.Subject =
      if let destination { .destination(destination) } else if let spool { .spool(spool) } else { .ledger }
    let name: String = row["kind"]
    guard let kind = Occurrence.Kind(rawValue: name) else {
      throw LedgerError(.configuration, "the ledger has the event \"\(name)\", which this program does not know")
    }
    let until: Int64? = row["until"]
    let uid: UInt32? = row["by_uid"]
    let user: String? = row["by_user"]
    var occurrence = Occurrence(
      kind, of: subject, at: Timestamp(microseconds: row["at"]), message: row["message"], reason: row["reason"],
      until: until.map(Timestamp.init(microseconds:)), by: uid.map { Caller(uid: $0, user: user ?? String($0)) })
    occurrence.sequence = row["sequence"]
    return occurrence
  }
}
