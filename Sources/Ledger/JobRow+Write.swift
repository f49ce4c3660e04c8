import Foundation
import GRDB
import Jobs

extension JobRow {
  private static let insertSQL = """
    INSERT INTO job (id, spool, name, storage, backend, bucket, key, content_type, metadata, priority, created_at, \
    revision, device, inode, size, modified_ns, changed_ns, object_may_be_stale, step, state, destination, \
    upload_tries, register_tries, delays_spent, throttled, attempt_started_at, updated_at, number) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let updateSQL = """
    UPDATE job SET revision = ?, device = ?, inode = ?, size = ?, modified_ns = ?, changed_ns = ?, \
    object_may_be_stale = ?, step = ?, state = ?, destination = ?, upload_tries = ?, register_tries = ?, \
    delays_spent = ?, throttled = ?, attempt_started_at = ?, next_attempt_at = ?, \
    failure_kind = ?, failure_status = ?, failure_code = ?, failure_words = ?, failure_retry_after = ?, \
    failure_may_have_acted = ?, question = ?, asked_at = ?, release_to = ?, release_by_uid = ?, release_by_user = ?, \
    updated_at = ?, finished_at = ?, disposed_at = ? \
    WHERE number = ?
    """

  private static let updateStoredSQL = """
    UPDATE job SET link = ?, body = ?, object_size = ?, object_etag = ?, object_version = ?, object_sha256 = ?, \
    object_checksum_algorithm = ?, object_checksum_type = ?, object_checksum_value = ?, uploaded_at = ? \
    WHERE number = ?
    """

  private static let updateRegistrationSQL = """
    UPDATE job SET registration_status = ?, registration_location = ?, registration_body = ?, registered_at = ? \
    WHERE number = ?
    """

  static func insert(_ job: Job, into db: Database) throws {
    let ticket = job.ticket
    let metadata =
      ticket.metadata.isEmpty ? nil : String(decoding: try JSONEncoder().encode(ticket.metadata), as: UTF8.self)
    try db.cachedStatement(sql: insertSQL).execute(arguments: [
      ticket.id.ledgerBytes, ticket.spool, Data(ticket.name.bytes), ticket.storage, ticket.backend, ticket.bucket,
      ticket.key, ticket.contentType, metadata, ticket.priority, ticket.createdAt.microseconds,
      job.revision, Int64(bitPattern: job.identity.device), Int64(bitPattern: job.identity.inode), job.identity.size,
      job.identity.modified, job.identity.changed, job.objectMayBeStale, job.step.rawValue, job.state.rawValue,
      job.destination, job.tries.upload, job.tries.register, job.schedule.spent, job.schedule.throttled,
      job.attemptStartedAt?.microseconds, job.updatedAt.microseconds, job.number.rawValue,
    ])
  }

  /// Writes what changed between two versions of a job; what the far sides gave only when it came or went.
  static func update(_ job: Job, from old: Job, in db: Database) throws {
    let number = job.number.rawValue
    let failure = job.failure
    try db.cachedStatement(sql: updateSQL).execute(arguments: [
      job.revision, Int64(bitPattern: job.identity.device), Int64(bitPattern: job.identity.inode), job.identity.size,
      job.identity.modified, job.identity.changed, job.objectMayBeStale, job.step.rawValue, job.state.rawValue,
      job.destination, job.tries.upload, job.tries.register, job.schedule.spent, job.schedule.throttled,
      job.attemptStartedAt?.microseconds, job.nextAttemptAt?.microseconds,
      failure?.kind.rawValue, failure?.status, failure?.code, failure?.words, failure?.retryAfter?.microseconds,
      failure?.mayHaveActed, job.question?.text, job.question?.askedAt.microseconds, job.release?.to,
      job.release.map { Int64($0.by.uid) }, job.release?.by.user, job.updatedAt.microseconds,
      job.finishedAt?.microseconds, job.disposedAt?.microseconds, number,
    ])
    if job.stored != old.stored {
      let receipt = job.stored?.receipt
      try db.cachedStatement(sql: updateStoredSQL).execute(arguments: [
        job.stored?.link, job.stored.map { Data($0.body) }, receipt?.size, receipt?.etag, receipt?.version,
        receipt?.sha256, receipt?.checksum?.algorithm, receipt?.checksum?.type.rawValue, receipt?.checksum?.value,
        receipt?.uploadedAt.microseconds, number,
      ])
    }
    if let registration = job.registration, registration != old.registration {
      try db.cachedStatement(sql: updateRegistrationSQL).execute(arguments: [
        registration.status, registration.location, registration.body, registration.registeredAt.microseconds, number,
      ])
    }
  }

  static func insert(_ attempt: Attempt, of job: JobNumber, into db: Database) throws {
    let failure = attempt.failure
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      job.rawValue, attempt.step.rawValue, attempt.number, attempt.startedAt.microseconds,
      attempt.endedAt.microseconds, attempt.outcome.rawValue, failure?.kind.rawValue, failure?.status, failure?.code,
      failure?.words, failure?.retryAfter?.microseconds, failure?.mayHaveActed,
    ])
  }

  static func insert(_ event: JobEvent, into db: Database) throws {
    let job = event.job
    let failure = job.failure
    try db.cachedStatement(
      sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      event.sequence, job.number.rawValue, event.at.microseconds, event.kind.rawValue, event.step.rawValue,
      event.by.map { Int64($0.uid) }, event.by?.user, event.reason ?? reason(event), job.step.rawValue,
      job.state.rawValue, job.revision, job.nextAttemptAt?.microseconds, failure?.kind.rawValue, failure?.status,
      failure?.code, failure?.words, failure?.retryAfter?.microseconds, failure?.mayHaveActed,
    ])
  }

  /// Why a failure's event happened: the failure's words, as the job's history shows them.
  private static func reason(_ event: JobEvent) -> String? {
    switch event.kind {
    case .deferred, .question, .aborted: event.job.failure?.words
    case .admitted, .uploaded, .registered, .confirmed, .retried, .cancelled, .released, .discarded: nil
    }
  }
}
