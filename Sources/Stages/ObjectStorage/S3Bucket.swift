public import Credentials
public import HTTPTransfer
public import Jobs
public import Linux
public import Settings
import Messages

/// Stores objects in an S3 bucket: one call is one attempt of step 1.
///
/// The parts of an attempt: ``upload(_:)`` chooses the form (`S3Bucket+Upload.swift`: one PUT with its checksum in a header;
/// `S3Bucket+Trailer.swift`: one PUT with it in a trailer; `S3Bucket+Multipart.swift`: parts). Before and after the bytes, HEAD
/// shows whose object is under the key (`S3Bucket+Occupant.swift`) and whether an answer is true (`S3Bucket+Proof.swift`).
/// ``clear(_:)`` removes what a cancelled job has left.
///
/// See "PutObject" and "HeadObject" in the S3 API reference. Each request is built just before it is sent, with the address,
/// headers, key, time and signature of that moment.
public struct S3Bucket: Sendable {
  /// The configured properties of a storage.
  public struct Options: Hashable, Sendable {
    /// The NAME of `[storage.NAME]`.
    public var name: String
    /// The scheme `http://` or `https://`, host, port, and a path to put before the bucket's.
    public var endpoint: String
    /// The region that requests are signed for.
    public var region: String
    /// The position of the bucket in a URL: in the path or the host name.
    public var addressing: S3Addressing
    /// True if an object under the same key may be replaced; otherwise `If-None-Match: *` is sent.
    public var overwrite: Bool
    /// Headers sent with every object, by name; those of ``S3Operation/byHeader`` are also sent with other requests.
    public var headers: [String: String]
    /// The tags, headers with placeholders and lock for every object.
    public var templates: ObjectTemplates
    /// The checksum that is sent with an object.
    public var checksum: ChecksumAlgorithm
    /// True to compute the SHA-256 of the whole file even if the checksum does not require it.
    public var digest: Bool
    /// True to send SHA-256 also in the header for checksums, and not only as the signed hash. Buckets with Object Lock require
    /// such a header; some endpoints refuse it.
    public var checksumHeader: Bool
    /// The requests that send their checksum in a trailer, after the bytes.
    public var checksumTrailer: ChecksumTrailer
    /// The size in bytes from which on files are sent in parts.
    public var multipartThreshold: Int64
    /// The number of bytes of a part; it is increased if a file would have too many parts.
    public var partSize: Int64
    /// The maximum number of parts of one file.
    public var maxParts: Int
    /// The maximum number of parts of one file in flight.
    public var partConcurrency: Int
    /// The maximum time for connecting, TLS included.
    public var connectTimeout: Duration
    /// The maximum time without any transferred byte.
    public var stallTimeout: Duration
    /// The maximum time without data from the storage while it assembles an object from its parts.
    public var completeTimeout: Duration
    /// The file of a private CA (PEM); nil for the system's.
    public var caFile: String?
    /// The proxy; nil to use those that the environment names.
    public var proxy: Proxy?
    /// An addition to the error text about a refused key, e.g. that a changed key takes effect only after a restart.
    public var keyNote: String?
    /// True if a 503 aborts a job. Then the error text names the setting that makes such jobs retry.
    public var abortsUnavailable: Bool
    /// The value of `User-Agent`, e.g. `waybill/1.0.0`; nil for none.
    public var userAgent: String?

    /// Options of a storage; the defaults are those of the configuration.
    public init(
      name: String, endpoint: String, region: String, addressing: S3Addressing = .path, overwrite: Bool = false,
      headers: [String: String] = [:], templates: ObjectTemplates = .none, checksum: ChecksumAlgorithm = .sha256,
      digest: Bool = false,
      checksumHeader: Bool = true, checksumTrailer: ChecksumTrailer = .auto, multipartThreshold: Int64 = 32 << 20,
      partSize: Int64 = 16 << 20, maxParts: Int = 10_000, partConcurrency: Int = 4,
      connectTimeout: Duration = .seconds(10), stallTimeout: Duration = .seconds(60),
      completeTimeout: Duration = .seconds(600), caFile: String? = nil,
      proxy: Proxy? = nil, keyNote: String? = nil, abortsUnavailable: Bool = true,
      userAgent: String? = nil
    ) {
      self.name = name
      self.endpoint = endpoint
      self.region = region
      self.addressing = addressing
      self.overwrite = overwrite
      self.headers = headers
      self.templates = templates
      self.checksum = checksum
      self.digest = digest
      self.checksumHeader = checksumHeader
      self.checksumTrailer = checksumTrailer
      self.multipartThreshold = multipartThreshold
      self.partSize = partSize
      self.maxParts = maxParts
      self.partConcurrency = partConcurrency
      self.connectTimeout = connectTimeout
      self.stallTimeout = stallTimeout
      self.completeTimeout = completeTimeout
      self.caFile = caFile
      self.proxy = proxy
      self.keyNote = keyNote
      self.abortsUnavailable = abortsUnavailable
      self.userAgent = userAgent
    }
  }

  /// The maximum number of bytes of an object stored by a single PUT ("Uploading objects" in the S3 user guide): 5 GiB.
  static let singlePutLimit: Int64 = 5 << 30

  /// The configured properties of the storage.
  public internal(set) var options: Options
  let endpoint: S3Endpoint
  let signer: SigV4Signer
  var trust: StorageTrust
  var trailers: TrailerUse
  /// The clock for signatures.
  let clock: StorageClock
  /// The configured headers, by the operations that they are sent with.
  var configured: ConfiguredHeaders
  /// Makes jobs that store an object under the same key take turns; the key is the object's URL.
  let turns: Turns<String>
  let transport: Transport
  let workers: FileThreads
  let now: @Sendable () -> Timestamp
  let signingKey: @Sendable () async throws(CredentialError) -> SigningKey
  let identity: (@Sendable () throws(CredentialError) -> ClientIdentity)?
  let customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)?

  /// A storage that is accessed through this transport.
  ///
  /// - Parameters:
  ///   - workers: the threads that open, read and hash files.
  ///   - turns: the turns of jobs with the same key, shared by all storages that may contain the same objects.
  ///   - now: the clock for the time of signatures and receipts.
  ///   - notice: is called once with something that an operator should know about the use of the storage.
  ///   - clockTrouble: is called once when the clocks of the storage and of this machine differ too much for signatures, and with
  ///     nil when they agree again.
  ///   - signingKey: reads the key; it is called for each request.
  ///   - identity: reads the client certificate; it is called for each request. Nil for none.
  ///   - customerKey: reads the customer key for encryption; it is called for each request that needs it. Nil for none.
  /// - Throws: ``EndpointError`` for an endpoint that is not an address.
  public init(
    _ options: Options, transport: Transport, workers: WorkerThreads, turns: Turns<String> = Turns(),
    now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in },
    clockTrouble: @escaping @Sendable (ClockTrouble?) -> Void = { _ in },
    signingKey: @escaping @Sendable () async throws(CredentialError) -> SigningKey,
    identity: (@Sendable () throws(CredentialError) -> ClientIdentity)? = nil,
    customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)? = nil
  ) throws(EndpointError) {
    self.options = options
    self.endpoint = try S3Endpoint(options.endpoint, addressing: options.addressing)
    self.signer = SigV4Signer(region: options.region)
    self.configured = ConfiguredHeaders(options.headers)
    self.trust = StorageTrust(notice: notice)
    self.trailers = TrailerUse(isOn: options.sendsTrailers(to: endpoint), notice: notice)
    self.clock = StorageClock(now: now, tell: clockTrouble)
    self.turns = turns
    self.transport = transport
    self.workers = FileThreads(sharing: workers)
    self.now = now
    self.signingKey = signingKey
    self.identity = identity
    self.customerKey = customerKey
  }

  /// The threads for an object's file.
  func threads(of object: ObjectToStore) -> FileThreads { object.workers ?? workers }

  /// Makes the storage prove the next object by HEAD, whatever it has proven before.
  public func proveNext() { trust.doubt() }

  /// The adapters that turn an error into a failure, in the order in which they are tried.
  static let adapters = FailureAdapters(
    [
      .s3,
      FailureAdapter(for: CredentialError.self) { Failure(.credentials, $0.reason) },
      FailureAdapter(for: FileError.self) { Failure(.file, $0.message, code: $0.code) },
    ] + FailureAdapters.standard.adapters)
}
