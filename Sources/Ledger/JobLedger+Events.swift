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
          SELECT sequence, at, kind, step, by_uid, by_user, reason, job_step, job_state, job_revision, \
          event.next_attempt_at, event.failure_kind, event.failure_status, event.failure_code, event.failure_words, \
          event.failure_retry_after, event.failure_may_have_acted, job, \(OccurrenceRow.columns) \
          FROM event WHERE sequence > ? \
          ORDER BY sequence LIMIT ?
          """, arguments: [sequence, limit])
      let events = try rows.compactMap { row -> LoggedEvent? in
        guard let number: Int64 = row[17] else { return .occurrence(try OccurrenceRow.occurrence(row)) }
        let job = try Row.fetchOne(
          db.cachedStatement(sql: "\(JobRow.select) WHERE number = ?"), arguments: [number])
        return try job.map { .job(try Self.event(row, of: JobRow.job($0))) }
      }
      return (events, rows.last.map { $0[0] } ?? sequence)
    }
  }

  /// Notes an event that concerns no job. Nobody waits for it; it is lost if the ledger is never written again.
  public func note(_ occurrence: Occurrence) {
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

  private static func event(_ row: Row, of current: Job) throws -> JobEvent {
    var reader = ColumnReader(row: row)
    var job = current
    let sequence: Int64 = reader.next()
    let at = Timestamp(microseconds: reader.next())
    let kind: JobEvent.Kind = try reader.nextCase()
    let step: Step = try reader.nextCase()
    let uid: UInt32? = reader.optional()
    let user: String? = reader.optional()
    let reason: String? = reader.optional()
    job.step = try reader.nextCase()
    job.state = try reader.nextCase()
    job.revision = reader.next()
    job.nextAttemptAt = reader.nextTime()
    job.failure = try JobRow.failure(&reader)
    job.updatedAt = at
    job.question = nil
    if job.state == .awaitingConfirmation, let failure = job.failure {
      let text = Sentences.question(job.step, job.ticket.name, reason: failure.words)
      job.question = Question(text: text, askedAt: at)
    }
    if !job.state.isTerminal { job.finishedAt = nil }
    if job.state != .registered, job.state != .discarded { job.disposedAt = nil }
    var event = JobEvent(
      at: at, kind: kind, step: step, job: job, by: uid.map { Caller(uid: $0, user: user ?? String($0)) },
      reason: reason)
    event.sequence = sequence
    return event
  }
}
