import Foundation
import GRDB
import Jobs
import StatementValues

extension JobRow {
  private static let insertSQL = """
    INSERT INTO job (id, spool, name, path, storage, backend, bucket, key, content_type, metadata, priority, created_at, \
    revision, device, inode, size, modified_ns, changed_ns, may_be_stored, object_may_be_stale, step, state, \
    destination, upload_tries, register_tries, delays_spent, attempt_started_at, updated_at, number) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// Writes a new job.
  static func insert(_ job: Job, into db: Database) throws {
    let ticket = job.ticket
    let metadata =
      ticket.metadata.isEmpty ? nil : String(decoding: try JSONEncoder().encode(ticket.metadata), as: UTF8.self)
    var row = try WriteStatement(insertSQL, db)
    row.add(ticket.id.ledgerBytes)
    row.add(ticket.spool)
    row.add(ticket.name.bytes)
    row.add(ticket.path.isEmpty ? nil : ticket.path)
    row.add(ticket.storage)
    row.add(ticket.backend)
    row.add(ticket.bucket)
    row.add(ticket.key)
    row.add(ticket.contentType)
    row.add(metadata)
    row.add(ticket.priority)
    row.add(ticket.createdAt.microseconds)
    row.add(job.revision)
    row.add(job.identity)
    row.add(job.mayBeStored)
    row.add(job.objectMayBeStale)
    row.add(job.step.rawValue)
    row.add(job.state.rawValue)
    row.add(job.destination)
    row.add(job.tries.upload)
    row.add(job.tries.register)
    row.add(job.schedule.spent)
    row.add(job.attemptStartedAt?.microseconds)
    row.add(job.updatedAt.microseconds)
    row.add(job.number.rawValue)
    try row.run()
  }

  /// Writes the differences between two versions of a job.
  static func update(_ job: Job, from old: Job, in db: Database) throws {
    let groups = ColumnGroups(changedFrom: old, to: job)
    var row = try WriteStatement(groups.updateSQL, db)
    row.add(job.revision)
    row.add(job.step.rawValue)
    row.add(job.state.rawValue)
    row.add(job.destination)
    row.add(job.tries.upload)
    row.add(job.tries.register)
    row.add(job.attemptStartedAt?.microseconds)
    row.add(job.updatedAt.microseconds)
    if groups.contains(.identity) {
      row.add(job.identity)
      row.add(job.mayBeStored)
      row.add(job.objectMayBeStale)
    }
    if groups.contains(.trouble) { row.addTrouble(of: job) }
    if groups.contains(.release) {
      row.add(job.release?.to)
      row.add(job.release.map { Int64($0.by.uid) })
      row.add(job.release?.by.user)
    }
    if groups.contains(.end) {
      row.add(job.remote?.rawValue)
      row.add(job.finishedAt?.microseconds)
      row.add(job.disposedAt?.microseconds)
    }
    row.add(job.number.rawValue)
    try row.run()
    if job.stored != old.stored { try write(job.stored, of: job.number, into: db) }
    if let registration = job.registration, registration != old.registration {
      try write(registration, of: job.number, into: db)
    }
    if job.failure != old.failure { try write(job.failure, insteadOf: old.failure, of: job.number, into: db) }
    if job.multipart != old.multipart { try write(job.multipart, of: job.number, into: db) }
  }

  private static func write(_ upload: MultipartUpload?, of job: JobNumber, into db: Database) throws {
    guard let upload else {
      var row = try WriteStatement("DELETE FROM multipart WHERE job = ?", db)
      row.add(job.rawValue)
      return try row.run()
    }
    var row = try WriteStatement("INSERT OR REPLACE INTO multipart VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", db)
    row.add(job.rawValue)
    row.add(upload.id)
    row.add(upload.partSize)
    row.add(upload.checksum)
    row.add(upload.file)
    try row.run()
  }

  /// Keeps only the answer of the last failure.
  private static func write(
    _ failure: Failure?, insteadOf old: Failure?, of job: JobNumber, into db: Database
  ) throws {
    if let answer = failure?.answer {
      var row = try WriteStatement("INSERT OR REPLACE INTO answer VALUES (?, ?)", db)
      row.add(job.rawValue)
      row.add(answer)
      try row.run()
    } else if old != nil {
      var row = try WriteStatement("DELETE FROM answer WHERE job = ?", db)
      row.add(job.rawValue)
      try row.run()
    }
  }

  private static func write(_ stored: StoredLink?, of job: JobNumber, into db: Database) throws {
    guard let stored else {
      var row = try WriteStatement("DELETE FROM stored WHERE job = ?", db)
      row.add(job.rawValue)
      return try row.run()
    }
    let receipt = stored.receipt
    var row = try WriteStatement("INSERT OR REPLACE INTO stored VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", db)
    row.add(job.rawValue)
    row.add(stored.link)
    row.add(stored.body)
    row.add(receipt?.size)
    row.add(receipt?.etag)
    row.add(receipt?.version)
    row.add(receipt?.sha256)
    row.add(receipt?.checksum?.algorithm)
    row.add(receipt?.checksum?.type.rawValue)
    row.add(receipt?.checksum?.value)
    row.add(receipt?.crc64nvme)
    row.add(receipt?.uploadedAt.microseconds)
    try row.run()
  }

  private static func write(_ registration: RegistrationReceipt, of job: JobNumber, into db: Database) throws {
    var row = try WriteStatement("INSERT OR REPLACE INTO registration VALUES (?, ?, ?, ?, ?)", db)
    row.add(job.rawValue)
    row.add(registration.status)
    row.add(registration.location)
    row.add(registration.body)
    row.add(registration.registeredAt.microseconds)
    try row.run()
  }

  private static let attemptSQL = "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
  private static let plainAttemptSQL =
    "INSERT OR REPLACE INTO attempt (job, step, number, started_at, ended_at, outcome) VALUES (?, ?, ?, ?, ?, ?)"

  /// Writes a try that has ended.
  static func insert(_ attempt: Attempt, of job: JobNumber, into db: Database) throws {
    let failure = attempt.failure
    var row = try WriteStatement(failure == nil ? plainAttemptSQL : attemptSQL, db)
    row.add(job.rawValue)
    row.add(attempt.step.rawValue)
    row.add(attempt.number)
    row.add(attempt.startedAt.microseconds)
    row.add(attempt.endedAt.microseconds)
    row.add(attempt.outcome.rawValue)
    if failure != nil { row.add(failure) }
    try row.run()
  }

  private static let plainEventSQL = """
    INSERT INTO event (sequence, job, at, kind, step, job_step, job_state, job_revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let eventSQL = """
    INSERT INTO event (sequence, job, at, kind, step, job_step, job_state, job_revision, by_uid, by_user, reason, \
    next_attempt_at, failure_kind, failure_status, failure_code, failure_words, failure_retry_after, \
    failure_may_have_acted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// Writes an event; an event of a job without trouble has few columns.
  static func insert(_ event: JobEvent, into db: Database) throws {
    let job = event.job
    let isPlain = event.by == nil && event.reason == nil && job.failure == nil && job.nextAttemptAt == nil
    var row = try WriteStatement(isPlain ? plainEventSQL : eventSQL, db)
    row.add(event.sequence)
    row.add(job.number.rawValue)
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
    row.add(job.failure)
    try row.run()
  }

  /// Returns the reason of a failure's event: the failure's words, as the job's history shows them.
  private static func reason(_ event: JobEvent) -> String? {
    switch event.kind {
    case .deferred, .question, .aborted: event.job.failure?.words
    case .admitted, .uploaded, .registered, .confirmed, .retried, .cancelled, .released, .discarded, .cleaned,
      .objectLeft:
      nil
    }
  }
}
