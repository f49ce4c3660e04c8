import Jobs
import SQLite

/// A row of `event` that concerns a job.
enum EventRow {
  private static let plain = ["sequence", "at", "kind", "step", "job_step", "job_state", "job_revision"]
  private static let details = ["by_uid", "by_user", "reason", "next_attempt_at"] + FailureColumns.names
  private static let plainSQL = JobRow.insert(into: "event", ["job"] + plain)
  private static let fullSQL = JobRow.insert(into: "event", ["job"] + plain + details)

  /// The columns that ``event(_:of:)`` reads.
  static let columns = (plain + details).joined(separator: ", ")

  /// Writes an event; an event of a job without trouble has few columns.
  static func insert(_ event: JobEvent, into db: Database) throws {
    let job = event.job
    let isPlain = event.by == nil && event.reason == nil && job.failure == nil && job.nextAttemptAt == nil
    var row = try db.binding(isPlain ? plainSQL : fullSQL)
    row.add(job.number.rawValue)
    row.add(event.sequence)
    row.add(event.at.microseconds)
    row.add(event.kind.rawValue)
    row.add(event.step.rawValue)
    row.add(job.step.rawValue)
    row.add(job.state.rawValue)
    row.add(job.revision)
    if isPlain { return try row.run() }
    row.add(event.by.map { Int64($0.uid) })
    row.add(event.by?.user)
    row.add(event.reason ?? reason(event))
    row.add(job.nextAttemptAt?.microseconds)
    FailureColumns.write(job.failure, to: &row)
    try row.run()
  }

  /// Returns the reason of a failure's event: the failure's words, as the job's history shows them.
  private static func reason(_ event: JobEvent) -> String? {
    switch event.kind {
    case .deferred, .question, .aborted: event.job.failure?.words
    case .admitted, .uploaded, .registered, .confirmed, .retried, .cancelled, .released, .discarded, .cleaned,
      .moved, .objectLeft:
      nil
    }
  }

  /// The columns that all events have.
  struct Head {
    let kind: String
    let at: Timestamp
    let by: Caller?
    let reason: String?
  }

  /// The index of the first column behind ``columns``.
  static let end = plain.count + details.count

  /// Reads the columns that all events have.
  static func head(_ row: Row) -> Head {
    let (uid, user): (UInt32?, String?) = (row[plain.count], row[plain.count + 1])
    return Head(
      kind: row[2], at: Timestamp(microseconds: row[1]), by: uid.map { Caller(uid: $0, user: user ?? String($0)) },
      reason: row[plain.count + 2])
  }

  /// Returns an event with its job as it was then. The stream has no other facts of that time, so the rest is as it is now.
  ///
  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func event(_ row: Row, of current: Job) throws -> JobEvent {
    let head = head(row)
    var reader = ColumnReader(row: row)
    var job = current
    let sequence: Int64 = reader.next()
    reader.skip()
    let kind: JobEvent.Kind = try reader.nextCase()
    let step: Step = try reader.nextCase()
    job.step = try reader.nextCase()
    job.state = try reader.nextCase()
    job.revision = reader.next()
    for _ in 0..<3 { reader.skip() }
    job.nextAttemptAt = reader.nextTime()
    job.failure = try FailureColumns.read(from: &reader)
    job.updatedAt = head.at
    job.question = nil
    if job.state == .awaitingConfirmation, let failure = job.failure {
      let text = Sentences.question(job.step, job.ticket.name, reason: failure.words)
      job.question = Question(text: text, askedAt: head.at)
    }
    if !job.state.isTerminal { job.finishedAt = nil }
    if job.state != .registered, job.state != .discarded, job.state != .moved { job.disposedAt = nil }
    var event = JobEvent(at: head.at, kind: kind, step: step, job: job, by: head.by, reason: head.reason)
    event.sequence = sequence
    return event
  }
}
