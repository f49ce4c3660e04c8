public import Jobs

/// What the far sides gave for each step; null until it did.
public struct ReceiptsMessage: Hashable, Sendable, Codable {
  /// The storage's receipt.
  public var upload: UploadReceiptMessage?
  /// The backend's receipt.
  public var register: RegistrationReceiptMessage?

  /// The receipts of a job.
  public init(upload: UploadReceipt?, register: RegistrationReceipt?) {
    self.upload = upload.map(UploadReceiptMessage.init)
    self.register = register.map(RegistrationReceiptMessage.init)
  }

  /// Writes both members; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(upload, forKey: .upload)
    try container.encode(register, forKey: .register)
  }
}

/// What the storage gave for step 1.
public struct UploadReceiptMessage: Hashable, Sendable, Codable {
  /// The bucket that holds the object.
  public var bucket: String
  /// The object's key.
  public var key: String
  /// Length of the object in bytes.
  public var size: Int64
  /// The object's ETag without quotes.
  public var etag: String?
  /// The object's version, where the bucket keeps versions.
  public var version: String?
  /// SHA-256 of all bytes in hex, where it was reckoned.
  public var sha256: String?
  /// The checksum that the storage was given.
  public var checksum: Checksum?
  /// The Content-Type sent with the object.
  public var contentType: String
  /// When the storage answered.
  public var uploadedAt: MessageTime

  enum CodingKeys: String, CodingKey {
    case bucket, key, size, etag, version, sha256, checksum
    case contentType = "content_type"
    case uploadedAt = "uploaded_at"
  }

  /// A receipt as a message.
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

  /// Writes every member; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(bucket, forKey: .bucket)
    try container.encode(key, forKey: .key)
    try container.encode(size, forKey: .size)
    try container.encode(etag, forKey: .etag)
    try container.encode(version, forKey: .version)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(checksum, forKey: .checksum)
    try container.encode(contentType, forKey: .contentType)
    try container.encode(uploadedAt, forKey: .uploadedAt)
  }
}

/// What the backend gave for step 2.
public struct RegistrationReceiptMessage: Hashable, Sendable, Codable {
  /// The HTTP status.
  public var status: Int
  /// The `Location` header of the answer.
  public var location: String?
  /// Up to 64 KiB of the answer's body.
  public var body: String
  /// When the backend answered.
  public var registeredAt: MessageTime

  enum CodingKeys: String, CodingKey {
    case status, location, body
    case registeredAt = "registered_at"
  }

  /// A receipt as a message.
  public init(_ receipt: RegistrationReceipt) {
    self.status = receipt.status
    self.location = receipt.location
    self.body = receipt.body
    self.registeredAt = MessageTime(receipt.registeredAt)
  }

  /// Writes every member; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(location, forKey: .location)
    try container.encode(body, forKey: .body)
    try container.encode(registeredAt, forKey: .registeredAt)
  }
}
