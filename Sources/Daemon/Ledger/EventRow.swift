import Jobs
import Messages
import SQLite

/// A row of `event`: what happened to a job, an attempt that ended, or both; or an event that concerns no job.
enum EventRow {
  private static let usual = [
    "job INTEGER", "previous INTEGER", "sequence INTEGER PRIMARY KEY", "at INTEGER NOT NULL", "kind TEXT", "step TEXT",
    "job_step TEXT", "job_state TEXT", "job_revision INTEGER", "attempt INTEGER", "began_at INTEGER", "outcome TEXT",
  ]
  private static let cause = ["by_uid INTEGER", "by_user TEXT", "reason TEXT"]
  private static let details = cause + ["next_attempt_at INTEGER"] + FailureColumns.declared
  private static let ofNoJob = ["destination TEXT", "spool TEXT", "until INTEGER", "message TEXT"]
  /// The columns, as the table declares them: those of every job's entry, those of trouble and of people, those of no job.
  static let declared = usual + details + ofNoJob
  private static let usualSQL = SQL.insertion(into: "event", usual.names)
  private static let fullSQL = SQL.insertion(into: "event", (usual + details).names)
  private static let occurrenceSQL = SQL.insertion(into: "event", ["sequence", "at", "kind"] + (cause + ofNoJob).names)

  /// The sequences of a job's entries, for `IN`. The parameter is the last sequence.
  static let upToLast = """
    WITH RECURSIVE entry (sequence) AS (
      VALUES (?) UNION ALL
      SELECT event.previous FROM entry JOIN event ON event.sequence = entry.sequence WHERE event.previous > 0 AND event.previous < event.sequence
    ) SELECT sequence FROM entry
    """
  /// The same. The parameter is the number of the job, whose row must be written.
  static let ofJob = upToLast.replacing("VALUES (?)", with: "SELECT last_event FROM job WHERE number = ?")

  /// Writes a job's entry: an event, the attempt that ended with it, or an attempt that ended without one. The entry of a job without
  /// trouble has few columns.
  /// `job`: the job right after the change; `previous`: the sequence of the job's entry before.
  static func insert(
    _ event: JobEvent?, endOf attempt: Attempt?, of job: Job, after previous: Int64, into db: Database
  ) throws {
    assert(event != nil || attempt != nil, "an entry of nothing")
    let isUsual = event?.by == nil && event?.reason == nil && job.failure == nil && job.nextAttemptAt == nil
    var row = try db.binding(isUsual ? usualSQL : fullSQL)
    row.add(job.number.rawValue)
    row.add(previous)
    row.add(job.lastEvent)
    row.add((event?.at ?? attempt?.endedAt ?? job.updatedAt).microseconds)
    row.add(event?.kind.rawValue)
    row.add((event?.step ?? attempt?.step ?? job.step).rawValue)
    row.add(job.step.rawValue)
    row.add(job.state.rawValue)
    row.add(job.revision)
    row.add(attempt?.number)
    row.add(attempt?.startedAt.microseconds)
    row.add(attempt?.outcome.rawValue)
    if isUsual { return try row.run() }
    row.add(event?.by)
    // The event of a failure has the failure's reason, which the job's history shows.
    let isOfFailure = event.map { [.deferred, .question, .aborted].contains($0.kind) } ?? false
    row.add((event?.reason ?? (isOfFailure ? event?.job.failure?.message : nil))?.stored)
    row.add(job.nextAttemptAt?.microseconds)
    FailureColumns.write(event == nil ? attempt?.failure : job.failure, to: &row)
    try row.run()
  }

  static func insert(_ occurrence: Occurrence, into db: Database) throws {
    let (destination, spool): (String?, String?) =
      switch occurrence.subject {
      case .target(let target): (target.name, nil)
      case .spool(let name): (nil, name)
      case .ledger, .configuration: (nil, nil)
      }
    var row = try db.binding(
      occurrenceSQL, [occurrence.sequence, occurrence.at.microseconds, occurrence.kind.rawValue])
    row.add(occurrence.by)
    row.add(occurrence.reason?.stored)
    row.add(destination)
    row.add(spool)
    row.add(occurrence.until?.microseconds)
    row.add(occurrence.said.stored)
    try row.run()
  }

  /// Removes events of no job that are older than those from which readers can resume. They are in no job's history.
  static func removeOld(_ db: Database, last: Int64) throws {
    try db.execute(
      "DELETE FROM event INDEXED BY event_of_none WHERE job IS NULL AND sequence <= ?", [last -| JobLedger.eventsKept])
  }

  /// A query to which a condition is added. ``entry(_:of:)`` reads its rows.
  static let select = """
    SELECT sequence, at, kind, job, \((cause + ofNoJob).names.listed), step, job_step, job_state, job_revision, \
    next_attempt_at, \(FailureColumns.names.listed) FROM event
    """

  /// Reads an entry. The event is nil if an attempt ended without one, or if the job has left.
  /// `job`: finds a job as it is now.
  static func entry(
    _ row: Row, of job: (JobNumber) throws -> Job?
  ) throws -> (sequence: Int64, event: LoggedEvent?) {
    var reader = ColumnReader(row: row)
    let (sequence, at): (Int64, Timestamp) = (reader.next(), reader.nextTime())
    guard !row.isNull(2) else { return (sequence, nil) }
    guard !row.isNull(3) else { return (sequence, .occurrence(try occurrence(sequence, at, &reader))) }
    let kind: JobEvent.Kind = try reader.nextCase()
    guard let now = try job(JobNumber(rawValue: reader.next())) else { return (sequence, nil) }
    return (sequence, .job(try event(sequence, at, kind, of: now, &reader)))
  }

  /// Returns an event. The job is as it was then, as far as the entry tells; the other facts are as they are now.
  private static func event(
    _ sequence: Int64, _ at: Timestamp, _ kind: JobEvent.Kind, of current: Job, _ reader: inout ColumnReader
  ) throws -> JobEvent {
    let (by, reason) = (reader.optionalCaller(), reader.optionalMessage())
    reader.skip(4)
    var job = current
    let step: Step = try reader.nextCase()
    job.step = try reader.nextCase()
    job.state = try reader.nextCase()
    job.revision = reader.next(in: ColumnReader.Bounds.number)
    job.lastEvent = sequence
    job.nextAttemptAt = reader.optionalTime()
    job.failure = try FailureColumns.read(from: &reader)
    job.updatedAt = at
    job.question = nil
    if job.state == .awaitingConfirmation, let failure = job.failure {
      job.question = Question(failure, at: job.step, of: job.ticket.name, askedAt: at)
    }
    if job.state != .active { job.attemptStartedAt = nil }
    if !job.state.isTerminal { job.finishedAt = nil }
    if job.state.phase != .done { job.disposedAt = nil }
    var event = JobEvent(at: at, kind: kind, step: step, job: job, by: by, reason: reason)
    event.sequence = sequence
    return event
  }

  private static func occurrence(
    _ sequence: Int64, _ at: Timestamp, _ reader: inout ColumnReader
  ) throws -> Occurrence {
    let kind: Occurrence.Kind = try reader.nextCase()
    reader.skip()
    let (by, reason) = (reader.optionalCaller(), reader.optionalMessage())
    let (destination, spool): (String?, String?) = (reader.optional(), reader.optional())
    let until = reader.optionalTime()
    let subject: Occurrence.Subject =
      if let destination {
        .target(try Pause.Target(stored: destination))
      } else if let spool {
        .spool(spool)
      } else {
        kind == .reloaded ? .configuration : .ledger
      }
    var occurrence = Occurrence(
      kind, of: subject, at: at, message: Message(stored: reader.next()), reason: reason, until: until, by: by)
    occurrence.sequence = sequence
    return occurrence
  }

  static func attempts(of job: JobNumber, in db: Database) throws -> [Attempt] {
    try db.all(
      """
      SELECT step, attempt, began_at, at, outcome, \(FailureColumns.names.listed) FROM event \
      WHERE sequence IN (\(ofJob)) AND outcome IS NOT NULL ORDER BY sequence
      """, [job.rawValue]
    ) { row in
      var reader = ColumnReader(row: row)
      var attempt = Attempt(
        step: try reader.nextCase(), number: reader.nextCount(), startedAt: reader.nextTime(),
        endedAt: reader.nextTime(), outcome: try reader.nextCase())
      // the failure in the row may be that of an earlier attempt
      if attempt.outcome == .failed { attempt.failure = try FailureColumns.read(from: &reader) }
      return attempt
    }
  }
}
