import FoundationEssentials
public import Jobs

/// The first step's result as it stands beside a claimed file in a shared spool (`.waybill/ID.stored`): every host that goes on
/// with the file registers these bytes, and no others.
public struct StoredRecord: Hashable, Sendable {
  /// The link with its receipt and the frozen body.
  public let stored: StoredLink
  /// The facts of the bytes that were uploaded.
  public let identity: FileIdentity

  /// Creates a record of a link.
  public init(_ stored: StoredLink, of identity: FileIdentity) {
    self.stored = stored
    self.identity = identity
  }
}

extension StoredRecord: Codable {
  private struct File: Codable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modified: Int64
    let changed: Int64
  }

  private struct Receipt: Codable {
    let bucket: String
    let key: String
    let size: Int64
    let etag: String?
    let version: String?
    let sha256: String?
    let checksum: Checksum?
    let crc64nvme: String?
    let contentType: String
    let uploadedAt: Int64
  }

  private enum CodingKeys: String, CodingKey {
    case link, body, receipt, file
  }

  /// Reads a record.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let receipt = try container.decodeIfPresent(Receipt.self, forKey: .receipt)
    let file = try container.decode(File.self, forKey: .file)
    self.init(
      StoredLink(
        link: try container.decode(String.self, forKey: .link),
        receipt: receipt.map {
          UploadReceipt(
            bucket: $0.bucket, key: $0.key, size: $0.size, etag: $0.etag, version: $0.version, sha256: $0.sha256,
            checksum: $0.checksum, crc64nvme: $0.crc64nvme, contentType: $0.contentType,
            uploadedAt: Timestamp(microseconds: $0.uploadedAt))
        }, body: Array(try container.decode(Data.self, forKey: .body))),
      of: FileIdentity(
        device: file.device, inode: file.inode, size: file.size, modified: file.modified, changed: file.changed))
  }

  /// Writes a record. The body is in base64: it is kept byte for byte.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(stored.link, forKey: .link)
    try container.encode(Data(stored.body), forKey: .body)
    let receipt = stored.receipt.map {
      Receipt(
        bucket: $0.bucket, key: $0.key, size: $0.size, etag: $0.etag, version: $0.version, sha256: $0.sha256,
        checksum: $0.checksum, crc64nvme: $0.crc64nvme, contentType: $0.contentType,
        uploadedAt: $0.uploadedAt.microseconds)
    }
    try container.encodeIfPresent(receipt, forKey: .receipt)
    try container.encode(
      File(
        device: identity.device, inode: identity.inode, size: identity.size, modified: identity.modified,
        changed: identity.changed), forKey: .file)
  }
}
