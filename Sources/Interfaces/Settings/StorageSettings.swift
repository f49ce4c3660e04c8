public import Credentials
public import Jobs

/// `[storage.NAME]`: an S3 bucket and the way to reach it.
public struct StorageSettings: Hashable, Sendable {
  /// `encryption`: the key that the storage encrypts objects with.
  public enum Encryption: Hashable, Sendable {
    /// A key of 256 bits that is sent with each request and that the storage does not keep (SSE-C).
    case customerKey(CredentialSource)
    /// A key of the storage's KMS, by its id, ARN or alias (SSE-KMS).
    case kms(String)
  }

  /// The NAME of `[storage.NAME]`.
  public var name: String
  /// Scheme, host and port: `https://s3.eu-central-1.amazonaws.com`, and a path if S3 is below one; without a slash at its end.
  public var endpoint: String
  /// The region that requests are signed for. Default: the one in an endpoint of AWS, else `us-east-1`.
  public var region: String
  /// The bucket.
  public var bucket: String
  /// The place of the bucket in a URL.
  public var addressing = S3Addressing.path
  /// The source of the access key's id.
  public var accessKey: CredentialSource
  /// The source of the secret key.
  public var secretKey: CredentialSource
  /// The source of the token of a session, or nil for none; the token of an AWS profile comes with its keys.
  public var sessionToken: CredentialSource?
  /// The checksum that travels with an object.
  public var checksum = ChecksumAlgorithm.sha256
  /// True if the whole file is hashed with SHA-256 even if `checksum` does not give that hash: a backend of its files wants it.
  public var digest = false
  /// The number of bytes of one part of a multipart upload, 5 MiB … 5 GiB (S3's limits).
  public var partSize: Int64 = 16 << 20
  /// The maximum number of parts of one file that the storage takes: 1,000 at Scaleway, else S3's limit of 10,000.
  public var maxParts = 10_000
  /// The least size in bytes of files that are sent in parts: two parts, because one alone costs three requests and saves nothing.
  public var multipartThreshold: Int64 = 32 << 20
  /// The number of parts of one file in flight: a few hide the way to the storage and back.
  public var partConcurrency = 4
  /// True if an object under the same key may be replaced; else `If-None-Match: *` is sent.
  public var overwrite = false
  /// The key that objects are encrypted with, or nil for the bucket's own setting.
  public var encryption: Encryption?
  /// The headers sent with every object, by name as written. A value may have placeholders.
  public var headers: [String: String] = [:]
  /// The tags of every object: a template by name.
  public var tags: [String: String] = [:]
  /// The lock of every object, or nil for none.
  public var objectLock: ObjectLock?
  /// The names of parts of file names that tags and headers name: of `match` of spools whose files go here.
  public var captures: Set<String> = []
  /// The longest time that connecting may take, TLS included: three lost packets are sent again within 7 s (tcp(7), RFC 6298).
  public var connectTimeout = Duration.seconds(10)
  /// The longest time that a transfer may go without a byte moved. A line that was interrupted sends again within it.
  public var stallTimeout = Duration.seconds(60)
  /// The longest time for which the storage may be silent while it makes an object of its parts. S3 may take several minutes
  /// ("CompleteMultipartUpload" in its API reference).
  public var completeTimeout = Duration.seconds(600)
  /// The file of a private CA (PEM), or nil for the system's.
  public var caFile: String?
  /// The certificate for the storage, or nil for none.
  public var clientCertificate: ClientCertificate?
  /// The limit of requests a second, or nil for none.
  public var rate: Double?
  /// The rules for retrying failures: its own `retry`, over `[retry]`.
  public var retry = RetryPolicy()

  /// The defaults.
  public init(
    name: String, endpoint: String, region: String, bucket: String, accessKey: CredentialSource,
    secretKey: CredentialSource
  ) {
    self.name = name
    self.endpoint = endpoint
    self.region = region
    self.bucket = bucket
    self.accessKey = accessKey
    self.secretKey = secretKey
  }

  init?(_ section: inout Section, name: String, retry shared: RetryPolicy) {
    let endpoint = section.requiredText("endpoint", example: "\"https://s3.eu-central-1.amazonaws.com\"")
      .flatMap { section.endpoint("endpoint", $0) }
    let region = section.text("region", example: "\"eu-central-1\"")
    let bucket = section.requiredText("bucket", example: "\"documents\"").flatMap { section.bucket("bucket", $0) }
    addressing = section.choice("addressing", default: addressing)
    if let endpoint, let bucket { section.check(addressing, of: bucket, at: endpoint) }
    let keys = section.storageKeys(endpoint: endpoint)
    sessionToken = keys.sessionToken
    checksum = section.choice("checksum", default: checksum)
    partSize = section.size("part_size", default: "16MiB", in: "5MiB"..."5GiB")
    multipartThreshold = min(2 * partSize, 5 << 30)
    maxParts = Self.mostParts(at: endpoint)
    overwrite = section.flag("overwrite", default: overwrite)
    headers = section.plainHeaders("headers")
    encryption = section.encryption("encryption", headers: headers, endpoint: endpoint)
    tags = section.tags("tags", headers: headers)
    objectLock = section.objectLock("object_lock", headers: headers)
    captures = section.captures(in: Array(headers.values) + Array(tags.values))
    if objectLock != nil, checksum == .none {
      section.problem(
        "object_lock", "needs a checksum in a header, as S3 demands it for locked objects",
        "leave out checksum = \"none\"")
    }
    caFile = section.certificates("ca_file")
    clientCertificate = section.clientCertificate()
    rate = section.rate("rate")
    retry = section.retry("retry", over: shared)
    section.refuseGrants()
    section.finish()
    guard let endpoint, let bucket, let accessKey = keys.accessKey, let secretKey = keys.secretKey else { return nil }
    self.name = name
    self.endpoint = endpoint
    self.region = section.region("region", region, endpoint: endpoint)
    self.bucket = bucket
    self.accessKey = accessKey
    self.secretKey = secretKey
  }
}

/// The place of a bucket in a URL.
public enum S3Addressing: String, Choice {
  /// `https://HOST/BUCKET/KEY`.
  case path
  /// `https://BUCKET.HOST/KEY`.
  case virtual
}

/// The checksum that travels with an object ("Checking object integrity in Amazon S3" in the S3 user guide).
public enum ChecksumAlgorithm: String, Choice {
  /// SHA-256: the signed hash of the payload. For an object in parts, S3 computes the SHA-256 of the parts' SHA-256.
  case sha256
  /// CRC-32C, always of the whole object, even if it is sent in parts.
  case crc32c
  /// CRC-64/NVME, always of the whole object: S3 supports nothing else for it.
  case crc64nvme
  /// None, and the payload is not signed either.
  case none
}
