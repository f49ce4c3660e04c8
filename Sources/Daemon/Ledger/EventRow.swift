import Jobs
import Messages
import SQLite

/// A row of `event`: what happened to a job, an attempt that ended, or both; or an event that concerns no job. What goes well has no more
/// than that; all else has a row of `detail`.
enum EventRow {
  static let declared = [
    "job INTEGER", "previous INTEGER", "sequence INTEGER PRIMARY KEY", "at INTEGER NOT NULL", "kind TEXT", "step TEXT",
    "job_step TEXT", "job_state TEXT", "job_revision INTEGER", "attempt INTEGER", "began_at INTEGER", "outcome TEXT",
  ]
  private static let cause = ["by_uid INTEGER", "by_user TEXT", "reason TEXT"]
  private static let ofJobs = cause + ["next_attempt_at INTEGER"] + FailureColumns.declared
  private static let ofNoJob = ["destination TEXT", "spool TEXT", "until INTEGER", "message TEXT"]
  /// The columns of `detail`, as the table declares them: of a job's entry, and of those that concern no job.
  static let details = ["sequence INTEGER PRIMARY KEY"] + ofJobs + ofNoJob
  private static let insertSQL = SQL.insertion(into: "event", declared.names)
  private static let detailSQL = SQL.insertion(into: "detail", ["sequence"] + ofJobs.names)
  private static let occurrenceSQL = SQL.insertion(into: "event", ["sequence", "at", "kind"])
  private static let occurrenceDetailSQL = SQL.insertion(into: "detail", ["sequence"] + (cause + ofNoJob).names)

  /// The sequences of a job's entries, for `IN`. The parameter is the last sequence.
  static let upToLast = """
    WITH RECURSIVE entry (sequence) AS (
      VALUES (?) UNION ALL
      SELECT event.previous FROM entry JOIN event ON event.sequence = entry.sequence WHERE event.previous > 0 AND event.previous < event.sequence
    ) SELECT sequence FROM entry
    """
  /// The same. The parameter is the number of the job, whose row must be written.
  static let ofJob = upToLast.replacing("VALUES (?)", with: "SELECT last_event FROM job WHERE number = ?")

  /// Writes a job's entry: an event, the attempt that ended with it, or an attempt that ended without one.
  /// `job`: the job right after the change; `previous`: the sequence of the job's entry before.
  static func insert(
    _ event: JobEvent?, endOf attempt: Attempt?, of job: Job, after previous: Int64, into db: Database
  ) throws {
    assert(event != nil || attempt != nil, "an entry of nothing")
    var row = try db.binding(insertSQL)
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
    try row.run()
    guard event.map({ !$0.kind.isUsual }) ?? (attempt?.failure != nil) else {
      assert(event?.by == nil && event?.reason == nil, "details of \(job) are lost")
      return
    }
    var details = try db.binding(detailSQL, [job.lastEvent])
    details.add(event?.by)
    // The event of a failure has the failure's reason, which the job's history shows.
    let isOfFailure = event.map { [.deferred, .question, .aborted].contains($0.kind) } ?? false
    details.add((event?.reason ?? (isOfFailure ? event?.job.failure?.message : nil))?.stored)
    details.add(job.nextAttemptAt?.microseconds)
    FailureColumns.write(event == nil ? attempt?.failure : job.failure, to: &details)
    try details.run()
  }

  static func insert(_ occurrence: Occurrence, into db: Database) throws {
    let (destination, spool): (String?, String?) =
      switch occurrence.subject {
      case .target(let target): (target.name, nil)
      case .spool(let name): (nil, name)
      case .ledger, .configuration: (nil, nil)
      }
    try db.binding(occurrenceSQL, [occurrence.sequence, occurrence.at.microseconds, occurrence.kind.rawValue]).run()
    var row = try db.binding(occurrenceDetailSQL, [occurrence.sequence])
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
    let (old, end) = ("FROM detail WHERE message IS NOT NULL AND sequence <= ?", last -| JobLedger.eventsKept)
    try db.execute("DELETE FROM event WHERE sequence IN (SELECT sequence \(old))", [end])
    try db.execute("DELETE \(old)", [end])
  }

  /// Removes the events of a job, whose row must still be there.
  static func remove(_ job: JobNumber, from db: Database) throws {
    for table in ["detail", "event"] {
      try db.execute("DELETE FROM \(table) WHERE sequence IN (\(ofJob))", [job.rawValue])
    }
  }

  /// The tables for queries of all events, and of those alone that have details, by `detail.sequence` or `detail.by_user`.
  static let withDetails = "event LEFT JOIN detail ON detail.sequence = event.sequence"
  static let ofDetails = "detail CROSS JOIN event ON event.sequence = detail.sequence"

  /// A query to which tables and a condition are added. ``entry(_:of:)`` reads its rows.
  static let select = """
    SELECT event.sequence, at, kind, job, \((cause + ofNoJob).names.listed), step, job_step, job_state, job_revision, \
    next_attempt_at, \(FailureColumns.names.listed) FROM
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
      SELECT step, attempt, began_at, at, outcome, \(FailureColumns.names.listed) FROM \(withDetails) \
      WHERE event.sequence IN (\(ofJob)) AND outcome IS NOT NULL ORDER BY event.sequence
      """, [job.rawValue]
    ) { row in
      var reader = ColumnReader(row: row)
      var attempt = Attempt(
        step: try reader.nextCase(), number: reader.nextCount(), startedAt: reader.nextTime(),
        endedAt: reader.nextTime(), outcome: try reader.nextCase())
      // the failure may be that of an earlier attempt
      if attempt.outcome == .failed { attempt.failure = try FailureColumns.read(from: &reader) }
      return attempt
    }
  }
}

extension JobEvent.Kind {
  /// True for the events that a job which goes well has.
  var isUsual: Bool { Self.usual.contains(self) }

  static let usual: Set<Self> = [.admitted, .uploaded, .registered]
}
