import Jobs
import Messages
import SQLite

/// A row of `event` that concerns a job: an event, an attempt that ended, or both.
enum EventRow {
  private static let own = ["job", "previous"]
  private static let usual = ["sequence", "at", "kind", "step", "job_step", "job_state", "job_revision"]
  private static let details = ["by_uid", "by_user", "reason", "next_attempt_at"] + FailureColumns.names
  private static let ofAttempt = ["attempt", "began_at", "outcome"]
  private static let usualSQL = JobRow.insert(into: "event", own + usual)
  private static let usualAttemptSQL = JobRow.insert(into: "event", own + usual + ofAttempt)
  private static let fullSQL = JobRow.insert(into: "event", own + usual + ofAttempt + details)

  /// The sequences of a job's entries, for `IN`. Its parameter is the last one.
  static let upToLast = """
    WITH RECURSIVE entry (sequence) AS (
      VALUES (?) UNION ALL
      SELECT event.previous FROM entry JOIN event ON event.sequence = entry.sequence WHERE event.previous > 0 AND event.previous < event.sequence
    ) SELECT sequence FROM entry
    """
  /// The same. Its parameter is the number of the job, whose row must be written.
  static let ofJob = upToLast.replacing("VALUES (?)", with: "SELECT last_event FROM job WHERE number = ?")

  /// The columns that ``event(_:of:)`` reads.
  static let columns = (usual + details).map { "event." + $0 }.joined(separator: ", ")

  /// Writes an event, and the attempt that ended with it. An event of a job without trouble has few columns.
  ///
  /// - Parameter previous: the job's entry before it.
  static func insert(
    _ event: JobEvent, after previous: Int64, endOf attempt: Attempt?, into db: Database
  ) throws {
    let job = event.job
    let isUsual = event.by == nil && event.reason == nil && !job.hasTrouble
    var row = try db.binding(isUsual ? attempt == nil ? usualSQL : usualAttemptSQL : fullSQL)
    row.add(job.number.rawValue)
    row.add(previous)
    row.add(event.sequence)
    row.add(event.at.microseconds)
    row.add(event.kind.rawValue)
    row.add(event.step.rawValue)
    row.add(job.step.rawValue)
    row.add(job.state.rawValue)
    row.add(job.revision)
    if !isUsual || attempt != nil { add(attempt, to: &row) }
    if isUsual { return try row.run() }
    row.add(event.by.map { Int64($0.uid) })
    row.add(event.by?.user)
    row.add((event.reason ?? reason(event))?.stored)
    row.add(job.nextAttemptAt?.microseconds)
    FailureColumns.write(job.failure, to: &row)
    try row.run()
  }

  private static let attemptSQL = JobRow.insert(
    into: "event", own + ["sequence", "at", "step"] + ofAttempt + FailureColumns.names)

  /// Writes an attempt that ended without an event.
  static func insert(
    _ attempt: Attempt, of job: JobNumber, sequence: Int64, after previous: Int64, into db: Database
  ) throws {
    var row = try db.binding(attemptSQL)
    row.add(job.rawValue)
    row.add(previous)
    row.add(sequence)
    row.add(attempt.endedAt.microseconds)
    row.add(attempt.step.rawValue)
    add(attempt, to: &row)
    FailureColumns.write(attempt.failure, to: &row)
    try row.run()
  }

  private static func add(_ attempt: Attempt?, to row: inout Binding) {
    row.add(attempt?.number)
    row.add(attempt?.startedAt.microseconds)
    row.add(attempt?.outcome.rawValue)
  }

  private static let selectAttempts = """
    SELECT step, attempt, began_at, at, outcome, \(FailureColumns.names.joined(separator: ", ")) FROM event \
    WHERE sequence IN (\(ofJob)) AND outcome IS NOT NULL ORDER BY sequence
    """

  /// Reads the attempts of a job that have ended, the oldest first.
  static func attempts(of job: JobNumber, in db: Database) throws -> [Attempt] {
    try db.all(selectAttempts, [job.rawValue]) { row in
      var reader = ColumnReader(row: row)
      var attempt = Attempt(
        step: try reader.nextCase(), number: reader.nextCount(), startedAt: reader.nextTime(),
        endedAt: reader.nextTime(), outcome: try reader.nextCase())
      // the event's job may have a failure of an attempt before
      if attempt.outcome == .failed { attempt.failure = try FailureColumns.read(from: &reader) }
      return attempt
    }
  }

  /// Returns the reason of a failure's event: that of the failure, as the job's history shows it.
  private static func reason(_ event: JobEvent) -> Message? {
    switch event.kind {
    case .deferred, .question, .aborted: event.job.failure?.message
    case .admitted, .uploaded, .registered, .skipped, .confirmed, .retried, .cancelled, .released, .discarded,
      .cleaned, .objectLeft:
      nil
    }
  }

  /// The columns that all events have.
  struct Head {
    /// Nil for an attempt that ended without an event.
    let kind: String?
    let at: Timestamp
    let by: Caller?
    let reason: Message?
  }

  /// The index of the first column behind ``columns``.
  static let end = usual.count + details.count

  /// Reads the columns that all events have.
  static func head(_ row: Row) -> Head {
    let (uid, user): (UInt32?, String?) = (row[usual.count], row[usual.count + 1])
    let reason: String? = row[usual.count + 2]
    return Head(
      kind: row[2], at: Timestamp(stored: row[1]), by: uid.map { Caller(uid: $0, user: user ?? String($0)) },
      reason: reason.map(Message.init(stored:)))
  }

  /// Returns an event with its job as it was then. Only these facts are recorded; the rest is as it is now.
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
    job.revision = reader.next(in: ColumnReader.Bounds.number)
    job.lastEvent = sequence
    for _ in 0..<3 { reader.skip() }
    job.nextAttemptAt = reader.optionalTime()
    job.failure = try FailureColumns.read(from: &reader)
    job.updatedAt = head.at
    job.question = nil
    if job.state == .awaitingConfirmation, let failure = job.failure {
      let question = Sentences.question(job.step, job.ticket.name, reason: failure.message)
      job.question = Question(question, askedAt: head.at)
    }
    if job.state != .active { job.attemptStartedAt = nil }
    if !job.state.isTerminal { job.finishedAt = nil }
    if job.state.phase != .done { job.disposedAt = nil }
    var event = JobEvent(at: head.at, kind: kind, step: step, job: job, by: head.by, reason: head.reason)
    event.sequence = sequence
    return event
  }
}
