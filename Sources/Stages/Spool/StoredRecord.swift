import FoundationEssentials
public import Jobs

/// The link record: the result of the first step, recorded beside a claimed file in a shared spool (`.waybill/ID.stored`). Every
/// host that continues with the file registers exactly these bytes.
public struct StoredRecord: Hashable, Sendable {
  /// The link with its receipt and the frozen body.
  public let stored: StoredLink
  /// The facts of the bytes that were uploaded.
  public let identity: FileIdentity
  /// The number of a group's files, and of those that have a receipt. Their own lines follow the record (``StoredMembers``).
  public let files: GroupProgress

  /// Creates a record of a link.
  public init(
    _ stored: StoredLink, of identity: FileIdentity, files: GroupProgress = GroupProgress(files: 0, stored: 0)
  ) {
    self.stored = stored
    self.identity = identity
    self.files = files
  }
}

extension StoredRecord: Codable {
  private enum CodingKeys: String, CodingKey {
    case link, body, receipt, file, files, sent, id
  }

  /// Reads a record.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let receipt = try container.decodeIfPresent(RecordedReceipt.self, forKey: .receipt)
    self.init(
      StoredLink(
        link: try container.decode(String.self, forKey: .link), receipt: receipt?.receipt,
        body: Array(try container.decode(Data.self, forKey: .body)),
        id: try container.decodeIfPresent(String.self, forKey: .id).flatMap { JobID($0) }),
      of: try container.decode(RecordedFile.self, forKey: .file).identity,
      files: GroupProgress(
        files: try container.decodeIfPresent(Int.self, forKey: .files) ?? 0,
        stored: try container.decodeIfPresent(Int.self, forKey: .sent) ?? 0))
  }

  /// Writes a record. The body is encoded in base64, which keeps every byte.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(stored.link, forKey: .link)
    try container.encode(Data(stored.body), forKey: .body)
    try container.encodeIfPresent(stored.receipt.map { RecordedReceipt($0) }, forKey: .receipt)
    try container.encode(RecordedFile(identity), forKey: .file)
    try container.encodeIfPresent(stored.id?.description, forKey: .id)
    guard files.files > 0 else { return }
    try container.encode(files.files, forKey: .files)
    try container.encode(files.stored, forKey: .sent)
  }
}

/// The facts of a file in a record.
struct RecordedFile: Codable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let modified: Int64
  private let changed: Int64

  init(_ identity: FileIdentity) {
    (device, inode, size) = (identity.device, identity.inode, identity.size)
    (modified, changed) = (identity.modified, identity.changed)
  }

  var identity: FileIdentity {
    FileIdentity(device: device, inode: inode, size: size, modified: modified, changed: changed)
  }
}

/// The receipt of an object in a record.
struct RecordedReceipt: Codable {
  private let bucket: String
  private let key: String
  private let size: Int64
  private let etag: String?
  private let version: String?
  private let sha256: String?
  private let checksum: Checksum?
  private let crc64nvme: String?
  private let contentType: String
  private let uploadedAt: Int64

  init(_ receipt: UploadReceipt) {
    (bucket, key, size, etag, version) = (receipt.bucket, receipt.key, receipt.size, receipt.etag, receipt.version)
    (sha256, checksum, crc64nvme) = (receipt.sha256, receipt.checksum, receipt.crc64nvme)
    (contentType, uploadedAt) = (receipt.contentType, receipt.uploadedAt.microseconds)
  }

  var receipt: UploadReceipt {
    UploadReceipt(
      bucket: bucket, key: key, size: size, etag: etag, version: version, sha256: sha256, checksum: checksum,
      crc64nvme: crc64nvme, contentType: contentType, uploadedAt: Timestamp(microseconds: uploadedAt))
  }
}
