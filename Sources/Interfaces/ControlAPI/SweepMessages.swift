import Jobs

/// The body of `POST /v1/sweep`: it selects multipart uploads that belong to no job, and says if they are to be aborted.
public struct SweepBody: Hashable, Sendable, Codable {
  /// Selects only uploads at this storage.
  public var storage: String?
  /// Selects only uploads that were begun at least this long ago, e.g. `2h`; without it `1d`.
  public var olderThan: String?
  /// True if the uploads are aborted; else they are only listed.
  public var abort: Bool?

  enum CodingKeys: String, CodingKey {
    case destination, storage, abort
    case olderThan = "older_than"
  }

  /// The least age of an upload if none is given: longer than any upload in progress takes.
  public static let defaultAge: Duration = .seconds(86_400)

  /// Creates a body.
  public init(storage: String? = nil, olderThan: String? = nil, abort: Bool = false) {
    self.storage = storage
    self.olderThan = olderThan
    self.abort = abort ? true : nil
  }

  /// Reads a body; empty and `{}` are the same.
  ///
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8]) throws(InvalidRequest) {
    guard !bytes.isEmpty else {
      self.init()
      return
    }
    let members = ["destination", "storage", "older_than", "abort"]
    self = try BodyReader.read(Self.self, from: bytes, members: members)
    _ = try age
  }

  /// Reads the members. `storage`, only a name, is the older form of `destination`, which is `storage.NAME`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    storage = try container.decodeIfPresent(String.self, forKey: .storage)
    if let destination = try container.decodeIfPresent(String.self, forKey: .destination) {
      guard storage == nil, let read = Destination(destination), read.kind == .storage else {
        throw InvalidRequest("destination has to be storage.NAME, and storage is its older form: give one of them")
      }
      storage = read.name
    }
    olderThan = try container.decodeIfPresent(String.self, forKey: .olderThan)
    abort = try container.decodeIfPresent(Bool.self, forKey: .abort)
  }

  /// Writes the members that have a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(storage.map { Destination.storage($0).text }, forKey: .destination)
    try container.encodeIfPresent(olderThan, forKey: .olderThan)
    try container.encodeIfPresent(abort, forKey: .abort)
  }

  /// The least age of an upload: the time since it was begun.
  ///
  /// - Throws: ``InvalidRequest`` if the text is no span of time.
  public var age: Duration {
    get throws(InvalidRequest) {
      guard let olderThan else { return Self.defaultAge }
      guard let span = RelativeTime.span(olderThan) else {
        throw InvalidRequest("older_than is no span of time such as 2h or 1d")
      }
      return .microseconds(span)
    }
  }
}

/// The uploads that a sweep found, and the result for each.
public struct SweepAnswer: Hashable, Sendable, Codable {
  /// An upload in parts that no job owns.
  public struct Upload: Hashable, Sendable, Codable {
    /// The NAME of `[storage.NAME]`.
    public var storage: String
    /// The bucket.
    public var bucket: String
    /// The key of the future object.
    public var key: String
    /// The storage's name for the upload.
    public var uploadID: String
    /// The time at which it was begun, by the storage's clock.
    public var initiatedAt: MessageTime?
    /// True if it was aborted.
    public var isAborted: Bool

    enum CodingKeys: String, CodingKey {
      case destination, storage, bucket, key
      case uploadID = "upload_id"
      case initiatedAt = "initiated_at"
      case isAborted = "aborted"
    }

    /// Creates an upload's message.
    public init(
      storage: String, bucket: String, key: String, uploadID: String, initiatedAt: MessageTime?, isAborted: Bool
    ) {
      self.storage = storage
      self.bucket = bucket
      self.key = key
      self.uploadID = uploadID
      self.initiatedAt = initiatedAt
      self.isAborted = isAborted
    }

    /// Writes every member; an absent value is null. `storage` is the older form of `destination`, for scripts that read it.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Destination.storage(storage).text, forKey: .destination)
      try container.encode(storage, forKey: .storage)
      try container.encode(bucket, forKey: .bucket)
      try container.encode(key, forKey: .key)
      try container.encode(uploadID, forKey: .uploadID)
      try container.encode(initiatedAt, forKey: .initiatedAt)
      try container.encode(isAborted, forKey: .isAborted)
    }

    /// Reads the members.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      storage = try container.decode(String.self, forKey: .storage)
      bucket = try container.decode(String.self, forKey: .bucket)
      key = try container.decode(String.self, forKey: .key)
      uploadID = try container.decode(String.self, forKey: .uploadID)
      initiatedAt = try container.decodeIfPresent(MessageTime.self, forKey: .initiatedAt)
      isAborted = try container.decode(Bool.self, forKey: .isAborted)
    }
  }

  /// The uploads.
  public var uploads: [Upload]
  /// The whole answer in a sentence.
  public var message: String

  /// Creates an answer; the sentence is made from the uploads.
  public init(uploads: [Upload]) {
    self.uploads = uploads
    let aborted = uploads.count(where: \.isAborted)
    let found =
      uploads.count == 1
      ? "1 multipart upload that belongs to no job"
      : "\(uploads.count) multipart uploads that belong to no job"
    message = aborted > 0 ? "\(found), \(aborted) aborted" : found
  }
}
