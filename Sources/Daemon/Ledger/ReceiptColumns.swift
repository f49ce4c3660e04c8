import Jobs
import Messages
import SQLite

/// A file's identity, in `job`, `member` and, with a prefix, that of an upload in parts.
enum IdentityColumns {
  static func names(_ prefix: String = "") -> [String] {
    ["device", "inode", "size", "modified_ns", "changed_ns"].map { prefix + $0 }
  }

  /// The columns of a table, with their types.
  static let declared = names().map { $0 + " INTEGER NOT NULL" }.joined(separator: ", ")

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

/// A failure, in each table that has one.
enum FailureColumns {
  private static let columns = [
    ("failure_kind", "TEXT"), ("failure_status", "INTEGER"), ("failure_code", "TEXT"), ("failure_words", "TEXT"),
    ("failure_retry_after", "INTEGER"), ("failure_may_have_acted", "INTEGER"),
  ]
  static let names = columns.map(\.0)

  /// The columns of a table, with their types.
  static let declared = columns.map { "\($0) \($1)" }.joined(separator: ", ")

  static func write(_ failure: Failure?, to row: inout Binding) {
    row.add(failure?.kind.rawValue)
    row.add(failure?.status)
    row.add(failure?.code)
    row.add(failure?.message.stored)
    row.add(failure?.retryAfter?.microseconds)
    row.add(failure?.mayHaveActed)
  }

  static func read(from reader: inout ColumnReader) throws -> Failure? {
    let kind: Failure.Kind? = try reader.nextOptionalCase()
    let status: Int? = reader.optional()
    let code: String? = reader.optional()
    let words: String? = reader.optional()
    let retryAfter = reader.optional(in: ColumnReader.Bounds.time)
    let mayHaveActed: Bool? = reader.optional()
    guard let kind else { return nil }
    return Failure(
      kind, Message(stored: words ?? ""), status: status, code: code, retryAfter: retryAfter.map { .microseconds($0) },
      mayHaveActed: mayHaveActed ?? false)
  }
}

/// The columns of a storage's receipt of an object, in `member` and, with a prefix, in `stored`.
enum ObjectColumns {
  static func names(_ prefix: String = "") -> [String] {
    let names = ["etag", "version", "sha256", "checksum_algorithm", "checksum_type", "checksum_value", "crc64nvme"]
    return names.map { prefix + $0 } + ["uploaded_at"]
  }

  /// The columns of a table, with their types.
  static func declared(_ prefix: String = "") -> String {
    names(prefix).map { $0 + ($0 == "uploaded_at" ? " INTEGER" : " TEXT") }.joined(separator: ", ")
  }

  static func write(_ receipt: UploadReceipt?, to row: inout Binding) {
    row.add(receipt?.etag)
    row.add(receipt?.version)
    row.add(receipt?.sha256)
    row.add(receipt?.checksum?.algorithm)
    row.add(receipt?.checksum?.type.rawValue)
    row.add(receipt?.checksum?.value)
    row.add(receipt?.crc64nvme)
    row.add(receipt?.uploadedAt.microseconds)
  }

  /// Reads the receipt of an object; nil if it has no size or is not stored.
  static func read(
    bucket: String, key: String, size: Int64?, contentType: String, from reader: inout ColumnReader
  ) throws -> UploadReceipt? {
    let etag: String? = reader.optional()
    let version: String? = reader.optional()
    let sha256: String? = reader.optional()
    let algorithm: String? = reader.optional()
    let type: Checksum.Extent? = try reader.nextOptionalCase()
    let value: String? = reader.optional()
    let crc64nvme: String? = reader.optional()
    let uploadedAt = reader.optionalTime()
    guard let size, let uploadedAt else { return nil }
    var checksum: Checksum?
    if let algorithm, let type, let value { checksum = Checksum(algorithm: algorithm, type: type, value: value) }
    return UploadReceipt(
      bucket: bucket, key: key, size: size, etag: etag, version: version, sha256: sha256, checksum: checksum,
      crc64nvme: crc64nvme, contentType: contentType, uploadedAt: uploadedAt)
  }
}

/// The link, the frozen body and the storage's receipt: the table `stored`.
enum StoredColumns {
  static let names = ["link", "body", "object_size"] + ObjectColumns.names("object_") + ["registration_id"]

  static func write(_ stored: StoredLink, to row: inout Binding) {
    row.add(stored.link)
    row.add(stored.body)
    row.add(stored.receipt?.size)
    ObjectColumns.write(stored.receipt, to: &row)
    row.add(stored.id?.ledgerBytes)
  }

  static func read(_ ticket: Ticket, from reader: inout ColumnReader) throws -> StoredLink? {
    let link: String? = reader.optional()
    let body: [UInt8]? = reader.optional()
    let size = reader.optional(in: ColumnReader.Bounds.size)
    let receipt = try ObjectColumns.read(
      bucket: ticket.bucket, key: ticket.key, size: size, contentType: ticket.contentType, from: &reader)
    let id = try reader.nextOptionalID()
    guard let link else { return nil }
    return StoredLink(link: link, receipt: receipt, body: body ?? [], id: id)
  }
}

/// The backend's receipt: the table `registration`.
enum RegistrationColumns {
  static let names = ["status", "location", "body", "registered_at"]

  static func write(_ receipt: RegistrationReceipt, to row: inout Binding) {
    row.add(receipt.status)
    row.add(receipt.location)
    row.add(receipt.body)
    row.add(receipt.registeredAt.microseconds)
  }

  static func read(from reader: inout ColumnReader) -> RegistrationReceipt? {
    let status: Int? = reader.optional()
    let location: String? = reader.optional()
    let body: String? = reader.optional()
    let at = reader.optionalTime()
    guard let status, let at else { return nil }
    return RegistrationReceipt(status: status, location: location, body: body ?? "", registeredAt: at)
  }
}

/// An upload in parts that was begun: columns of `member`.
enum MultipartColumns {
  static let names = ["upload_id", "part_size", "checksum"] + IdentityColumns.names("file_")

  /// The columns of a table, with their types. They are null without an upload.
  static let declared =
    names.map { $0 + (["upload_id", "checksum"].contains($0) ? " TEXT" : " INTEGER") }.joined(separator: ", ")

  static func write(_ upload: MultipartUpload, to row: inout Binding) {
    row.add(upload.id)
    row.add(upload.partSize)
    row.add(upload.checksum)
    IdentityColumns.write(upload.file, to: &row)
  }

  static func read(from reader: inout ColumnReader) -> MultipartUpload? {
    let id: String? = reader.optional()
    guard let id else { return nil }
    return MultipartUpload(
      id: id, partSize: reader.next(in: ColumnReader.Bounds.partSize), checksum: reader.next(),
      file: IdentityColumns.read(from: &reader))
  }
}
