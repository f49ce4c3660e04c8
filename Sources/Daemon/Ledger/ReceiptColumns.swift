import Jobs
import Messages
import SQLite

/// A file's identity, in `job`, `member` and, with a prefix, that of an upload in parts.
enum IdentityColumns {
  static let declared = ["device", "inode", "size", "modified_ns", "changed_ns"].map { $0 + " INTEGER NOT NULL" }
  static let names = declared.names

  static func write(_ identity: FileIdentity, to row: inout Binding) {
    row.add(Int64(bitPattern: identity.device))
    row.add(Int64(bitPattern: identity.inode))
    row.add(identity.size)
    row.add(identity.modified)
    row.add(identity.changed)
  }

  static func read(from reader: inout ColumnReader) -> FileIdentity {
    FileIdentity(
      device: UInt64(bitPattern: reader.next()), inode: UInt64(bitPattern: reader.next()),
      size: reader.next(in: ColumnReader.Bounds.size),
      modified: reader.next(), changed: reader.next())
  }
}

enum FailureColumns {
  static let declared = [
    "failure_kind TEXT", "failure_words TEXT", "failure_status INTEGER", "failure_code TEXT",
    "failure_retry_after INTEGER", "failure_may_have_acted INTEGER",
    "failure_grantor TEXT",
  ]
  static let names = declared.names

  static func write(_ failure: Failure?, to row: inout Binding) {
    row.add(failure?.kind.rawValue)
    row.add(failure?.message.stored)
    row.add(failure?.status)
    row.add(failure?.code)
    row.add(failure?.retryAfter?.microseconds)
    row.add(failure?.mayHaveActed)
    row.add(failure?.grantor?.text)
  }

  static func read(from reader: inout ColumnReader) throws -> Failure? {
    guard let kind: Failure.Kind = try reader.nextOptionalCase() else {
      reader.skip(declared.count - 1)
      return nil
    }
    var failure = Failure(
      kind, reader.optionalMessage() ?? Message(stored: ""), status: reader.optional(), code: reader.optional(),
      retryAfter: reader.optional(in: ColumnReader.Bounds.time).map { .microseconds($0) },
      mayHaveActed: reader.optional() ?? false)
    failure.grantor = try (reader.optional() as String?).map(Destination.init(stored:))
    return failure
  }
}

/// The columns of a storage's receipt of an object, in `member` and, with a prefix, in `stored`.
enum ObjectColumns {
  /// The columns, as a table declares them, after the time of the upload.
  static let facts = [
    "etag TEXT", "version TEXT", "sha256 TEXT", "checksum_algorithm TEXT", "checksum_type TEXT", "checksum_value TEXT",
    "crc64nvme TEXT",
  ]
  static let declared = ["uploaded_at INTEGER"] + facts

  static func write(_ receipt: UploadReceipt?, to row: inout Binding) {
    row.add(receipt?.uploadedAt.microseconds)
    row.add(receipt?.etag)
    row.add(receipt?.version)
    row.add(receipt?.sha256)
    row.add(receipt?.checksum?.algorithm)
    row.add(receipt?.checksum?.type.rawValue)
    row.add(receipt?.checksum?.value)
    row.add(receipt?.crc64nvme)
  }

  /// Reads the receipt of an object; nil if it has no size or is not stored.
  static func read(
    bucket: String, key: String, size: Int64?, contentType: String, from reader: inout ColumnReader
  ) throws -> UploadReceipt? {
    guard let uploadedAt = reader.optionalTime(), let size else {
      reader.skip(facts.count)
      return nil
    }
    return UploadReceipt(
      bucket: bucket, key: key, size: size, etag: reader.optional(), version: reader.optional(),
      sha256: reader.optional(), checksum: try checksum(from: &reader), crc64nvme: reader.optional(),
      contentType: contentType, uploadedAt: uploadedAt)
  }

  private static func checksum(from reader: inout ColumnReader) throws -> Checksum? {
    let (algorithm, type): (String?, Checksum.Extent?) = (reader.optional(), try reader.nextOptionalCase())
    let value: String? = reader.optional()
    guard let algorithm, let type, let value else { return nil }
    return Checksum(algorithm: algorithm, type: type, value: value)
  }
}

/// The link, the frozen body and the storage's receipt: the table `stored`. `registration_id` is the id of a registration that does not
/// go under the job's own.
enum StoredColumns {
  static let declared =
    ["link TEXT NOT NULL", "body BLOB NOT NULL", "object_size INTEGER", "uploaded_at INTEGER"]
    + ObjectColumns.facts.map { "object_" + $0 } + ["registration_id BLOB"]

  static func write(_ stored: StoredLink, to row: inout Binding) {
    row.add(stored.link)
    row.add(stored.body)
    row.add(stored.receipt?.size)
    ObjectColumns.write(stored.receipt, to: &row)
    row.add(stored.id?.ledgerBytes)
  }

  static func read(_ ticket: Ticket, from reader: inout ColumnReader) throws -> StoredLink? {
    guard let link: String = reader.optional() else {
      reader.skip(declared.count - 1)
      return nil
    }
    let body: [UInt8]? = reader.optional()
    let size = reader.optional(in: ColumnReader.Bounds.size)
    let receipt = try ObjectColumns.read(
      bucket: ticket.bucket, key: ticket.key, size: size, contentType: ticket.contentType, from: &reader)
    return StoredLink(link: link, receipt: receipt, body: body ?? [], id: try reader.nextOptionalID())
  }
}

/// The backend's receipt: the table `registration`.
enum RegistrationColumns {
  static let declared = [
    "status INTEGER NOT NULL", "location TEXT", "body TEXT NOT NULL", "registered_at INTEGER NOT NULL",
  ]

  static func write(_ receipt: RegistrationReceipt, to row: inout Binding) {
    row.add(receipt.status)
    row.add(receipt.location)
    row.add(receipt.body)
    row.add(receipt.registeredAt.microseconds)
  }

  static func read(from reader: inout ColumnReader) -> RegistrationReceipt? {
    guard let status: Int = reader.optional() else {
      reader.skip(declared.count - 1)
      return nil
    }
    return RegistrationReceipt(
      status: status, location: reader.optional(), body: reader.next(), registeredAt: reader.nextTime())
  }
}

/// An upload in parts, with the facts of the file for which it was begun: columns of `member`, which are null without one.
enum MultipartColumns {
  static let declared =
    ["upload_id TEXT", "part_size INTEGER", "checksum TEXT"] + IdentityColumns.names.map { "file_\($0) INTEGER" }
  static let names = declared.names

  static func write(_ upload: MultipartUpload, to row: inout Binding) {
    row.add(upload.id)
    row.add(upload.partSize)
    row.add(upload.checksum)
    IdentityColumns.write(upload.file, to: &row)
  }

  static func read(from reader: inout ColumnReader) -> MultipartUpload? {
    guard let id: String = reader.optional() else { return nil }
    return MultipartUpload(
      id: id, partSize: reader.next(in: ColumnReader.Bounds.partSize), checksum: reader.next(),
      file: IdentityColumns.read(from: &reader))
  }
}
