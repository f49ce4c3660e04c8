public import Jobs
import SQLite

/// The names on the lists of sent files. Of several jobs of one name, which a person has tried again, one holds it at a time, and is
/// attempted; the others wait for it, and find out then if something is left to send.
extension JobLedger {
  /// True if the last job of a name was for this file, or goes on.
  static func isKnown(_ file: KeptFile, _ row: KeptRow, _ source: SourceRow, in db: Database) throws -> Bool {
    // The attempt of a job that goes on finds out by itself what has changed.
    if try file.hasFacts(of: row.file) || isOpen(row.job, in: db) { return true }
    // A file that a person has stopped has no bytes to be compared with. Where inodes do not last, it would be sent when its medium is
    // back.
    guard file.epoch != nil, row.file.epoch != nil, file.identity.mayHoldBytes(of: row.file.identity) else {
      return false
    }
    return try !SentFile.isSent(file.name, by: row.job, source: source.number, in: db)
  }

  /// True if a job is not over. One that asks about a medium which never came back does not count: other cards have files of that name too.
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

  /// Has a job hold the name of its file, for an attempt, unless another one does that goes on.
  ///
  /// - Returns: the other job; nil if this one holds the name, or if it is not on the list.
  public func holdName(of job: Job) async throws -> JobNumber? {
    // Nearly all jobs hold theirs since their admission, and nothing is written.
    let isHeld = try await read { db in
      guard let source = try SourceRow.of(job.ticket, in: db),
        let row = try KeptRow.of(job.ticket.dropped, source: source.number, in: db)
      else { return true }
      return row.job == job.number
    }
    if isHeld { return nil }
    return try await writer.perform { batch in try batch.holdName(of: job) }
  }
}

extension LedgerBatch {
  /// The same in a transaction.
  mutating func holdName(of job: Job) throws -> JobNumber? {
    guard let (row, source) = try keptRow(of: job), row.job != job.number else { return nil }
    // An attempt that has ended meanwhile holds nothing.
    guard let now = try self.job(job.number), now.state == .active, now.attempt == job.attempt else { return row.job }
    if try JobLedger.isOpen(row.job, in: db) { return row.job }
    // Its own list has another name by now, and this one is another directory's.
    let all = try SourceRow.all(in: db)
    guard
      try !all.contains(where: { try KeptRow.of(row.file.name, source: $0.number, in: db)?.job == job.number })
    else { return nil }
    try row.give(to: job, source: source.number, in: db)
    return nil
  }

  /// Gives a job that goes on again its file on the list, unless another job holds the name which goes on. A job that only has to be
  /// registered goes before one that is still to be sent, which then finds its bytes registered.
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

  /// Has a job that was put off wait until the one is over that holds its name, or goes on at once if that is over by now.
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

  /// Makes the jobs due that wait for the name which a job held.
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
  /// The code of the failure of a job whose file is another job's for the time being (`after = "keep"`).
  public static let nameHeldCode = "file-of-another-job"
}
