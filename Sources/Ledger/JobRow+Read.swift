import Foundation
import GRDB
import Jobs

/// A row of `job` with the receipts of the far sides, as read. Columns are taken by place: ``JobRow/select`` fixes the order.
enum JobRow {
  /// A query to which a condition on the columns of `job` is added.
  static let select = """
    SELECT number, id, spool, name, path, storage, backend, bucket, key, content_type, metadata, priority, created_at, \
    revision, device, inode, size, modified_ns, changed_ns, may_be_stored, object_may_be_stale, step, state, \
    upload_tries, register_tries, delays_spent, attempt_started_at, next_attempt_at, \
    failure_kind, failure_status, failure_code, failure_words, failure_retry_after, failure_may_have_acted, \
    question, asked_at, release_to, release_by_uid, release_by_user, updated_at, remote, finished_at, disposed_at, \
    link, stored.body, object_size, object_etag, object_version, object_sha256, \
    object_checksum_algorithm, object_checksum_type, object_checksum_value, object_crc64nvme, uploaded_at, \
    status, location, registration.body, registered_at, \
    upload_id, part_size, checksum, file_device, file_inode, file_size, file_modified_ns, file_changed_ns \
    FROM job LEFT JOIN stored ON stored.job = job.number LEFT JOIN registration ON registration.job = job.number \
    LEFT JOIN multipart ON multipart.job = job.number
    """

  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func job(_ row: Row) throws -> Job {
    var reader = ColumnReader(row: row)
    let number = JobNumber(rawValue: reader.next())
    let ticket = try ticket(&reader)
    let revision: Int64 = reader.next()
    let identity = identity(&reader)
    var job = Job(number: number, ticket: ticket, identity: identity)
    job.revision = revision
    job.mayBeStored = reader.next()
    job.objectMayBeStale = reader.next()
    job.step = try reader.nextCase()
    job.state = try reader.nextCase()
    job.tries = Tries(upload: reader.next(), register: reader.next())
    job.schedule = RetrySchedule(spent: reader.next())
    job.attemptStartedAt = reader.nextTime()
    job.nextAttemptAt = reader.nextTime()
    job.failure = try failure(&reader)
    let question: String? = reader.optional()
    let askedAt = reader.nextTime()
    if let question { job.question = Question(text: question, askedAt: askedAt ?? ticket.createdAt) }
    let releaseTo: String? = reader.optional()
    let releaseUID: UInt32? = reader.optional()
    let releaseUser: String? = reader.optional()
    if let releaseTo, let releaseUID {
      job.release = Release(to: releaseTo, by: Caller(uid: releaseUID, user: releaseUser ?? String(releaseUID)))
    }
    job.updatedAt = reader.nextTime() ?? ticket.createdAt
    job.remote = try reader.nextOptionalCase()
    job.finishedAt = reader.nextTime()
    job.disposedAt = reader.nextTime()
    job.stored = try stored(&reader, ticket)
    job.registration = registration(&reader)
    job.multipart = multipart(&reader)
    return job
  }

  private static func identity(_ reader: inout ColumnReader) -> FileIdentity {
    FileIdentity(
      device: UInt64(bitPattern: reader.next()), inode: UInt64(bitPattern: reader.next()), size: reader.next(),
      modified: reader.next(), changed: reader.next())
  }

  private static func multipart(_ reader: inout ColumnReader) -> MultipartUpload? {
    let id: String? = reader.optional()
    guard let id else { return nil }
    return MultipartUpload(id: id, partSize: reader.next(), checksum: reader.next(), file: identity(&reader))
  }

  private static func ticket(_ reader: inout ColumnReader) throws -> Ticket {
    let id = try reader.nextID()
    let spool: String = reader.next()
    let name: Data = reader.next()
    let path: Data? = reader.optional()
    let storage: String = reader.next()
    let backend: String = reader.next()
    let bucket: String = reader.next()
    let key: String = reader.next()
    let contentType: String = reader.next()
    let metadata: String? = reader.optional()
    return Ticket(
      id: id, spool: spool, name: FileName(bytes: Array(name)), path: path.map { Array($0) } ?? [], storage: storage,
      backend: backend, bucket: bucket, key: key, contentType: contentType, metadata: try decode(metadata),
      priority: reader.next(),
      createdAt: Timestamp(microseconds: reader.next()))
  }

  private static func decode(_ metadata: String?) throws -> [String: String] {
    guard let metadata else { return [:] }
    return try JSONDecoder().decode([String: String].self, from: Data(metadata.utf8))
  }

  static func failure(_ reader: inout ColumnReader) throws -> Failure? {
    let kind: Failure.Kind? = try reader.nextOptionalCase()
    let status: Int? = reader.optional()
    let code: String? = reader.optional()
    let words: String? = reader.optional()
    let retryAfter: Int64? = reader.optional()
    let mayHaveActed: Bool? = reader.optional()
    guard let kind else { return nil }
    return Failure(
      kind, words ?? "", status: status, code: code, retryAfter: retryAfter.map { .microseconds($0) },
      mayHaveActed: mayHaveActed ?? false)
  }

  private static func stored(_ reader: inout ColumnReader, _ ticket: Ticket) throws -> StoredLink? {
    let link: String? = reader.optional()
    let body: Data? = reader.optional()
    let size: Int64? = reader.optional()
    let etag: String? = reader.optional()
    let version: String? = reader.optional()
    let sha256: String? = reader.optional()
    let algorithm: String? = reader.optional()
    let type: Checksum.Extent? = try reader.nextOptionalCase()
    let value: String? = reader.optional()
    let crc64nvme: String? = reader.optional()
    let uploadedAt = reader.nextTime()
    guard let link else { return nil }
    var receipt: UploadReceipt?
    if let size, let uploadedAt {
      var checksum: Checksum?
      if let algorithm, let type, let value { checksum = Checksum(algorithm: algorithm, type: type, value: value) }
      receipt = UploadReceipt(
        bucket: ticket.bucket, key: ticket.key, size: size, etag: etag, version: version, sha256: sha256,
        checksum: checksum, crc64nvme: crc64nvme, contentType: ticket.contentType, uploadedAt: uploadedAt)
    }
    return StoredLink(link: link, receipt: receipt, body: body.map { Array($0) } ?? [])
  }

  private static func registration(_ reader: inout ColumnReader) -> RegistrationReceipt? {
    let status: Int? = reader.optional()
    let location: String? = reader.optional()
    let body: String? = reader.optional()
    let at = reader.nextTime()
    guard let status, let at else { return nil }
    return RegistrationReceipt(status: status, location: location, body: body ?? "", registeredAt: at)
  }
}

/// Reads a row's columns one after the other.
struct ColumnReader {
  let row: Row
  private var index = 0

  init(row: Row) { self.row = row }

  mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>() -> Value {
    defer { index += 1 }
    return row[index]
  }

  mutating func optional<Value: DatabaseValueConvertible & StatementColumnConvertible>() -> Value? {
    defer { index += 1 }
    return row[index]
  }

  mutating func nextTime() -> Timestamp? {
    let microseconds: Int64? = optional()
    return microseconds.map { Timestamp(microseconds: $0) }
  }

  mutating func nextCase<Case: RawRepresentable<String>>() throws -> Case {
    guard let value: Case = try nextOptionalCase() else {
      throw LedgerError(.configuration, "the ledger has a row without a \(Case.self)")
    }
    return value
  }

  mutating func nextOptionalCase<Case: RawRepresentable<String>>() throws -> Case? {
    let text: String? = optional()
    guard let text else { return nil }
    guard let value = Case(rawValue: text) else {
      throw LedgerError(.configuration, "the ledger has the \(Case.self) \"\(text)\", which this program does not know")
    }
    return value
  }

  mutating func nextID() throws -> JobID {
    let bytes: Data = next()
    guard let id = JobID(ledgerBytes: bytes) else {
      throw LedgerError(.configuration, "the ledger has an id of \(bytes.count) bytes instead of 16")
    }
    return id
  }
}
