/// A checksum in S3's terms.
public struct Checksum: Hashable, Sendable {
  /// The bytes that the checksum covers.
  public enum Extent: String, Sendable {
    /// Over all bytes of the object.
    case full
    /// Over the checksums of the parts.
    case composite
  }

  /// `sha256`, `crc32c` or `crc64nvme`.
  public var algorithm: String
  /// The extent: the object or its parts' checksums.
  public var type: Extent
  package var value: String

  package init(algorithm: String, type: Extent, value: String) {
    self.algorithm = algorithm
    self.type = type
    self.value = value
  }
}

/// The storage's receipt for step 1.
public struct UploadReceipt: Hashable, Sendable {
  /// The facts of a granted upload that are used when its link is made.
  package struct Granted: Hashable, Sendable {
    /// The link to the object.
    package var locator: String
    /// False if only the backend can tell that the object is there.
    package var isProven: Bool

    package init(locator: String, isProven: Bool) {
      self.locator = locator
      self.isProven = isProven
    }
  }

  package var bucket: String
  package var key: String
  package var size: Int64
  /// The object's ETag without quotes, if the storage gave one.
  public var etag: String?
  /// The object's version, if the bucket keeps versions.
  public var version: String?
  /// The SHA-256 of all bytes in hex, if it was computed.
  public var sha256: String?
  /// The checksum that the storage was given; nil for none.
  public var checksum: Checksum?
  /// The CRC-64/NVME of all bytes in base64, if none of the other sums covers them all. It helps to recognize a copy of the file.
  public var crc64nvme: String?
  package var contentType: String
  package var uploadedAt: Timestamp
  /// Nil for a storage with a key, and once the link is made: the ledger has the link.
  package var granted: Granted?

  package init(
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

/// The durable result of step 1: the link to the object, with the body for the backend. Step 1 is not run again, unless the
/// object is removed.
///
/// A class, as ``Ticket`` is: it never changes, and a copy of a job copies only the reference.
public final class StoredLink: Hashable, Sendable {
  package let link: String
  /// The storage's receipt; nil if a person named the link.
  public let receipt: UploadReceipt?
  /// The body of the registration, frozen here: every attempt sends the same bytes.
  public let body: [UInt8]
  /// The id of the registration, if an earlier body may have arrived under the job's own id; else nil.
  public let id: JobID?

  package init(link: String, receipt: UploadReceipt?, body: [UInt8], id: JobID? = nil) {
    self.id = id
    self.link = link
    self.receipt = receipt
    self.body = body
  }

  /// True if two links are the same, receipt and body included.
  public static func == (a: StoredLink, b: StoredLink) -> Bool {
    a === b || (a.link == b.link && a.receipt == b.receipt && a.body == b.body && a.id == b.id)
  }

  /// Hashes the link, which stands for the whole.
  public func hash(into hasher: inout Hasher) { hasher.combine(link) }

  /// Returns the link of an upload, or the one that a person named, with the body and the id of its registration.
  ///
  /// A backend that has acted on a body refuses another one under the same id (draft-ietf-httpapi-idempotency-key-header, "Error
  /// Handling"). So once a registration may have arrived, the job's next body is the earlier one, byte for byte, or goes under a new
  /// id. The earlier body is sent again if nothing but the time of the upload differs. Another version or ETag means another object:
  /// the object of the earlier registration is gone.
  /// - Parameters:
  ///   - receipt: the storage's receipt; nil for a link that a person named.
  ///   - earlier: the job's earlier link.
  ///   - wasTold: true if a registration of that link may have arrived.
  ///   - isIDTaken: true if a registration of other bytes, whose link is not known, may have arrived under the job's own id.
  ///   - hasFiles: true if the body lists files, which the receipt does not show.
  ///   - newID: mints an id.
  ///   - body: makes the body for an id of the registration, nil for the job's own.
  public static func next(
    _ link: String, _ receipt: UploadReceipt?, after earlier: StoredLink?, wasTold: Bool, isIDTaken: Bool = false,
    hasFiles: Bool, newID: () -> JobID, body: (JobID?, UploadReceipt?) -> [UInt8]
  ) -> StoredLink {
    guard let earlier, wasTold else {
      let id = earlier?.id ?? (isIDTaken ? newID() : nil)
      return StoredLink(link: link, receipt: receipt, body: body(id, receipt), id: id)
    }
    var same = receipt
    if let before = earlier.receipt { same?.uploadedAt = before.uploadedAt }
    if link == earlier.link, same == earlier.receipt, !hasFiles || body(earlier.id, same) == earlier.body {
      return earlier
    }
    let id = newID()
    return StoredLink(link: link, receipt: receipt, body: body(id, receipt), id: id)
  }
}

/// The backend's receipt for step 2.
public struct RegistrationReceipt: Hashable, Sendable {
  /// The HTTP status: a 2xx, or 409 if a conflict counts as registered.
  public var status: Int
  package var location: String?
  /// Up to 64 KiB of the answer's body; bytes that are not UTF-8 are replaced.
  public var body: String
  package var registeredAt: Timestamp

  package init(status: Int, location: String?, body: String, registeredAt: Timestamp) {
    self.status = status
    self.location = location
    self.body = body
    self.registeredAt = registeredAt
  }
}
