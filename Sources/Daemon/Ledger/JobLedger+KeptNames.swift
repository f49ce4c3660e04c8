public import Jobs
import SQLite

/// The names on the lists of sent files. If a person retries several jobs of one name, one job at a time holds the name and is
/// attempted. The others wait for it, and then check if bytes are left to send.
extension JobLedger {
  /// True if the last job of a name was for this file, or is not over.
  static func isKnown(_ file: KeptFile, _ row: KeptRow, _ source: SourceRow, in db: Database) throws -> Bool {
    // A job that is not over finds a change by its own attempt.
    if try file.hasFacts(of: row.file) || isOpen(row.job, in: db) { return true }
    // A stopped job has no sum of its bytes to compare with. If inodes do not last, the file would be sent when its medium is back.
    guard file.epoch != nil, row.file.epoch != nil, file.identity.mayHoldBytes(of: row.file.identity) else {
      return false
    }
    return try !SentFile.isSent(file.name, by: row.job, source: source.number, in: db)
  }

  /// True if a job is not over. A job that asks about a missing medium does not count, because other cards may have files of that name.
  static func isOpen(_ job: JobNumber, in db: Database) throws -> Bool {
    let found = try db.first("SELECT state, failure_code FROM job WHERE number = ?", [job.rawValue]) {
      row -> (state: String, code: String?) in (row[0], row[1])
    }
    guard let found, let state = JobState(rawValue: found.state) else { return false }
    return isOpen(state, found.code)
  }

  static func isOpen(_ state: JobState, _ code: String?) -> Bool {
    !state.isTerminal && !(state == .awaitingConfirmation && code == Failure.awayCode)
  }

  /// Lets a job hold the name of its file for an attempt, unless another unfinished job holds it.
  ///
  /// - Returns: the other job; nil if this one holds the name, or if it is not on the list.
  public func holdName(of job: Job) async throws -> JobNumber? {
    // Nearly all jobs have held their name since their admission; then nothing is written.
    let isHeld = try await read { db in
      guard let source = try SourceRow.of(job.ticket, in: db),
        let holder = try KeptRow.holder(of: job.ticket.dropped, source: source.number, in: db)
      else { return true }
      return holder == job.number
    }
    if isHeld { return nil }
    return try await writer.perform { batch in try batch.holdName(of: job) }
  }
}

extension LedgerBatch {
  /// The same within a transaction.
  mutating func holdName(of job: Job) throws -> JobNumber? {
    guard let (row, source) = try keptRow(of: job), row.job != job.number else { return nil }
    // An attempt that has ended in the meantime gets no name.
    guard let now = try self.job(job.number), now.state == .active, now.attempt == job.attempt else { return row.job }
    if try JobLedger.isOpen(row.job, in: db) { return row.job }
    // The job's own list has been renamed, and this list belongs to another directory.
    let all = try SourceRow.all(in: db)
    guard
      try !all.contains(where: { try KeptRow.holder(of: row.file.name, source: $0.number, in: db) == job.number })
    else { return nil }
    try row.give(to: job, source: source.number, in: db)
    return nil
  }

  /// Gives a retried job its name on the list back, unless another unfinished job holds it. A job that only has to be registered goes
  /// before one that has to be uploaded, which then finds its bytes registered.
  mutating func keepAgain(_ job: Job) throws {
    guard let (row, source) = try keptRow(of: job), row.job != job.number else { return }
    if try JobLedger.isOpen(row.job, in: db), try job.step == .upload || self.job(row.job)?.step == .register { return }
    try row.give(to: job, source: source.number, in: db)
  }

  private mutating func keptRow(of job: Job) throws -> (row: KeptRow, source: SourceRow)? {
    try write()
    guard let source = try SourceRow.of(job.ticket, in: db),
      let row = try KeptRow.of(job.ticket.dropped, source: source.number, in: db)
    else { return nil }
    return (row, source)
  }

  /// Makes a deferred job wait for the end of the job that holds its name; if that job is over already, makes it due at once.
  ///
  /// - Returns: the job as it is then.
  mutating func waitForName(_ job: Job) throws -> Job {
    guard job.waitsForName else { return job }
    guard let (row, _) = try keptRow(of: job), row.job != job.number, try JobLedger.isOpen(row.job, in: db) else {
      return try apply(.due, to: job) ?? job
    }
    memory.position.waitForNames[row.job, default: []].insert(job.number)
    return job
  }

  /// Makes the jobs due that wait for the name held by a job.
  mutating func giveName(of job: JobNumber) throws {
    for number in memory.position.waitForNames.removeValue(forKey: job)?.sorted() ?? [] {
      guard let waiting = try self.job(number), waiting.waitsForName else { continue }
      _ = try apply(.due, to: waiting)
    }
  }
}

extension Job {
  /// True while it waits for the job that holds its name.
  var waitsForName: Bool { state == .deferred && failure?.code == Failure.nameHeldCode }
}

extension Failure {
  /// The failure's code of a job while another job holds the name of its file (`after = "keep"`).
  public static let nameHeldCode = "file-of-another-job"
}
