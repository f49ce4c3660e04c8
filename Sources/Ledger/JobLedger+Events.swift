import GRDB
public import Jobs

extension JobLedger {
  /// The number of the latest events from which a reader can resume. Older events stay in each job's history; older events that
  /// concern no job are removed.
  public static let eventsKept: Int64 = 100_000

  /// Returns the events after a given one, in order, at most `limit`. The changing facts of a job are as they were then; the
  /// rest is as it is now.
  ///
  /// - Returns: the events, and the sequence up to which all were read: events of jobs that have left are skipped.
  public func events(after sequence: Int64, limit: Int) async throws -> (events: [LoggedEvent], upTo: Int64) {
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT \(EventRow.columns), job, \(OccurrenceRow.columns) FROM event WHERE sequence > ? \
          ORDER BY sequence LIMIT ?
          """, arguments: [sequence, limit])
      let events = try rows.compactMap { row -> LoggedEvent? in
        guard let number: Int64 = row["job"] else { return .occurrence(try OccurrenceRow.occurrence(row)) }
        let job = try Row.fetchOne(
          db.cachedStatement(sql: "\(JobRow.select) WHERE number = ?"), arguments: [number])
        return try job.map { .job(try EventRow.event(row, of: JobRow.job($0))) }
      }
      return (events, rows.last.map { $0[0] } ?? sequence)
    }
  }

  /// Notes an event that concerns no job. Nobody waits for it; it is lost if the ledger is never written again.
  public func record(_ occurrence: Occurrence) {
    writer.record { batch in try batch.record(occurrence) }
  }

  /// Returns the sequence of the last event before a time: the events after it happened since then.
  public func lastEvent(before time: Timestamp) async throws -> Int64 {
    try await read { db in
      // Sequences grow with time, unless a clock was set; so the newest one that is old enough is looked for.
      // Trouble with the ledger is written afterwards, later than younger events.
      try Int64.fetchOne(
        db, sql: "SELECT sequence FROM event WHERE at < ? AND kind <> ? ORDER BY sequence DESC LIMIT 1",
        arguments: [time.microseconds, Occurrence.Kind.ledgerProblem.rawValue]) ?? 0
    }
  }

}
