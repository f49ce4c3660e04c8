import Jobs
import SQLite

/// The events and attempts that a job's facts imply. All of them come before those that have rows of their own.
struct FactHistory {
  private let admittedAt: Timestamp?
  private let uploaded: FactSpan?
  private let registered: FactSpan?

  private static let select = """
    SELECT job.number, job.admitted_at, stored.began_at, stored.ended_at, registration.began_at, registration.ended_at \
    FROM job LEFT JOIN stored ON stored.job = job.number LEFT JOIN registration ON registration.job = job.number \
    WHERE job.number
    """
  private static let selectOne = select + " = ?"
  private static let selectMany = select + JobRow.isAmong

  /// Reads the times of a job's facts; nil if there is no such job.
  init?(of job: JobNumber, in db: Database) throws {
    guard let found = try db.first(Self.selectOne, [job.rawValue], Self.read) else { return nil }
    self = found.history
  }

  /// Reads the times of the facts of those of the jobs that there are.
  static func all(of jobs: [JobNumber], in db: Database) throws -> [JobNumber: FactHistory] {
    if jobs.isEmpty { return [:] }
    let found = try db.all(selectMany, [JobRow.list(jobs)], read)
    return Dictionary(uniqueKeysWithValues: found.map { ($0.job, $0.history) })
  }

  private static func read(_ row: Row) -> (job: JobNumber, history: FactHistory) {
    var reader = ColumnReader(row: row)
    return (JobNumber(rawValue: reader.next()), FactHistory(from: &reader))
  }

  private init(from reader: inout ColumnReader) {
    admittedAt = reader.nextTime()
    uploaded = Self.span(&reader)
    registered = Self.span(&reader)
  }

  private static func span(_ reader: inout ColumnReader) -> FactSpan? {
    let (began, ended) = (reader.nextTime(), reader.nextTime())
    guard let began, let ended else { return nil }
    return FactSpan(began: began, ended: ended)
  }

  /// The attempts, the oldest first.
  var attempts: [Attempt] {
    [(Step.upload, uploaded), (.register, registered)].compactMap { step, span in
      span.map { Attempt(step: step, number: 1, startedAt: $0.began, endedAt: $0.ended, outcome: .succeeded) }
    }
  }

  /// The events, the oldest first.
  var entries: [HistoryEntry] {
    let times: [(LogEntry.Kind, Timestamp?)] = [
      (.admitted, admittedAt), (.uploaded, uploaded?.ended), (.registered, registered?.ended),
    ]
    return times.compactMap { entry, at in
      guard let at, let (kind, step, reached) = entry.event else { return nil }
      return HistoryEntry(at: at, event: kind, step: step, revision: reached.revision, by: nil, reason: nil)
    }
  }

  /// Returns the time of an entry of the log; nil if the job does not have the fact.
  private func time(_ kind: LogEntry.Kind) -> Timestamp? {
    switch kind {
    case .admitted: admittedAt
    case .uploaded: uploaded?.ended
    case .registered: registered?.ended
    case .beganUpload, .beganRegistration: nil
    }
  }

  /// Returns the start of the attempt that gave a fact.
  func began(_ kind: LogEntry.Kind) -> Timestamp? {
    switch kind {
    case .uploaded: uploaded?.began
    case .registered: registered?.began
    case .admitted, .beganUpload, .beganRegistration: nil
    }
  }

  /// Returns the event of an entry of the log, with its job as it was then. The stream has no other facts of that time, so the
  /// rest is as it is now.
  func event(_ entry: LogEntry, of current: Job) -> JobEvent? {
    guard let (kind, step, reached) = entry.kind.event, let at = time(entry.kind) else { return nil }
    var job = current
    (job.step, job.state, job.revision) = reached
    (job.nextAttemptAt, job.attemptStartedAt, job.failure, job.question) = (nil, nil, nil, nil)
    job.updatedAt = at
    if !reached.state.isTerminal { job.finishedAt = nil }
    if reached.state != .registered { job.disposedAt = nil }
    var event = JobEvent(at: at, kind: kind, step: step, job: job)
    event.sequence = entry.value
    return event
  }
}
