public import Jobs

/// The receipts of the servers for both steps; each is null until it exists.
public struct ReceiptsMessage: Hashable, Sendable, Codable {
  /// The storage's receipt.
  @Nullable public var upload: UploadReceiptMessage?
  /// The backend's receipt.
  @Nullable public var register: RegistrationReceiptMessage?

  /// Creates the message of a job's receipts.
  public init(upload: UploadReceipt?, register: RegistrationReceipt?) {
    self.upload = upload.map(UploadReceiptMessage.init)
    self.register = register.map(RegistrationReceiptMessage.init)
  }
}

/// The storage's receipt for step 1.
public struct UploadReceiptMessage: Hashable, Sendable, Codable {
  /// The bucket that holds the object.
  public var bucket: String
  /// The object's key.
  public var key: String
  /// The length of the object in bytes.
  public var size: Int64
  /// The object's ETag without quotes.
  @Nullable public var etag: String?
  /// The object's version, if the bucket keeps versions.
  @Nullable public var version: String?
  /// The SHA-256 of all bytes in hex, if it was computed.
  @Nullable public var sha256: String?
  /// The checksum that the storage was given.
  @Nullable public var checksum: Checksum?
  /// The Content-Type sent with the object.
  public var contentType: String
  /// The time at which the storage answered.
  public var uploadedAt: MessageTime

  enum CodingKeys: String, CodingKey {
    case bucket, key, size, etag, version, sha256, checksum
    case contentType = "content_type"
    case uploadedAt = "uploaded_at"
  }

  /// Creates the message of a receipt.
  public init(_ receipt: UploadReceipt) {
    self.bucket = receipt.bucket
    self.key = receipt.key
    self.size = receipt.size
    self.etag = receipt.etag
    self.version = receipt.version
    self.sha256 = receipt.sha256
    self.checksum = receipt.checksum
    self.contentType = receipt.contentType
    self.uploadedAt = MessageTime(receipt.uploadedAt)
  }
}

/// The backend's receipt for step 2.
public struct RegistrationReceiptMessage: Hashable, Sendable, Codable {
  /// The HTTP status.
  public var status: Int
  /// The `Location` header of the answer.
  @Nullable public var location: String?
  /// Up to 64 KiB of the answer's body.
  public var body: String
  /// The time at which the backend answered.
  public var registeredAt: MessageTime

  enum CodingKeys: String, CodingKey {
    case status, location, body
    case registeredAt = "registered_at"
  }

  /// Creates the message of a receipt.
  public init(_ receipt: RegistrationReceipt) {
    self.status = receipt.status
    self.location = receipt.location
    self.body = receipt.body
    self.registeredAt = MessageTime(receipt.registeredAt)
  }
}
