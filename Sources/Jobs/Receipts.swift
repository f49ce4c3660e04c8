/// A checksum as S3 has it.
public struct Checksum: Hashable, Sendable, Codable {
  /// Over what it was reckoned.
  public enum Extent: String, Sendable, Codable {
    /// Over all bytes of the object.
    case full
    /// Over the checksums of the parts.
    case composite
  }

  /// `sha256`, `crc32c` or `crc64nvme`.
  public var algorithm: String
  /// Over the object or over its parts' checksums.
  public var type: Extent
  /// The value in base64.
  public var value: String

  /// A checksum in S3's terms.
  public init(algorithm: String, type: Extent, value: String) {
    self.algorithm = algorithm
    self.type = type
    self.value = value
  }
}

/// What the storage gave for step 1.
public struct UploadReceipt: Hashable, Sendable {
  /// The bucket that holds the object.
  public var bucket: String
  /// The object's key.
  public var key: String
  /// Length of the object in bytes.
  public var size: Int64
  /// The object's ETag without quotes, where the storage gave one.
  public var etag: String?
  /// The object's version, where the bucket keeps versions.
  public var version: String?
  /// SHA-256 of all bytes in hex, where it was reckoned.
  public var sha256: String?
  /// The checksum that the storage was given, null for none.
  public var checksum: Checksum?
  /// CRC-64/NVME of all bytes in base64, where neither of these is a sum of them all: a file is known again by one of them.
  public var crc64nvme: String?
  /// The Content-Type sent with the object.
  public var contentType: String
  /// When the storage answered.
  public var uploadedAt: Timestamp

  /// A receipt for one object.
  public init(
    bucket: String, key: String, size: Int64, etag: String?, version: String?, sha256: String?, checksum: Checksum?,
    crc64nvme: String? = nil, contentType: String, uploadedAt: Timestamp
  ) {
    self.bucket = bucket
    self.key = key
    self.size = size
    self.etag = etag
    self.version = version
    self.sha256 = sha256
    self.checksum = checksum
    self.crc64nvme = crc64nvme
    self.contentType = contentType
    self.uploadedAt = uploadedAt
  }
}

/// The permanent locator that step 1 yielded, with what goes to the backend. Once it is durable, step 1 is not run again.
///
/// A class, as ``Ticket`` is: it never changes, and a job is copied at every turn.
public final class StoredLink: Hashable, Sendable {
  /// The locator.
  public let link: String
  /// What the storage gave; nil where a person named the link.
  public let receipt: UploadReceipt?
  /// The body of the registration, frozen here: the same bytes on every attempt.
  public let body: [UInt8]

  /// A link together with the registration's frozen body.
  public init(link: String, receipt: UploadReceipt?, body: [UInt8]) {
    self.link = link
    self.receipt = receipt
    self.body = body
  }

  /// The link of an upload that was done again, because its object was removed after the backend may have been told of it.
  /// Where nothing but the time differs that is the earlier link, so that the backend gets the same bytes under the same key.
  func repeating(_ earlier: StoredLink?) -> StoredLink {
    guard let earlier, link == earlier.link, var receipt, let before = earlier.receipt else { return self }
    receipt.uploadedAt = before.uploadedAt
    return receipt == before ? earlier : self
  }

  /// Whether two links are the same, receipt and body included.
  public static func == (a: StoredLink, b: StoredLink) -> Bool {
    a === b || (a.link == b.link && a.receipt == b.receipt && a.body == b.body)
  }

  /// The link stands for the whole.
  public func hash(into hasher: inout Hasher) { hasher.combine(link) }
}

/// What the backend gave for step 2.
public struct RegistrationReceipt: Hashable, Sendable {
  /// The HTTP status: a 2xx, or 409 where a conflict counts as registered.
  public var status: Int
  /// The `Location` header of the answer.
  public var location: String?
  /// Up to 64 KiB of the answer's body; bytes that are not UTF-8 replaced.
  public var body: String
  /// When the backend answered.
  public var registeredAt: Timestamp

  /// A receipt for one registration.
  public init(status: Int, location: String?, body: String, registeredAt: Timestamp) {
    self.status = status
    self.location = location
    self.body = body
    self.registeredAt = registeredAt
  }
}
