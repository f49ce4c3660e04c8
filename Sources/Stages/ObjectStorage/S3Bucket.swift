public import Credentials
public import HTTPTransfer
public import Jobs
public import Linux
public import Settings
import Messages

/// Stores objects in an S3 bucket: one call is one attempt of step 1.
///
/// See "PutObject" and "HeadObject" in the S3 API reference. Each request is built late: address, headers, key, time and
/// signature are those of the moment at which it is sent.
public struct S3Bucket: Sendable {
  /// The configured way to reach a storage.
  public struct Options: Hashable, Sendable {
    /// The NAME of `[storage.NAME]`.
    public var name: String
    /// `http://` or `https://`, host, port, and a path to put before the bucket's.
    public var endpoint: String
    /// The region that requests are signed for.
    public var region: String
    /// The place of the bucket in a URL.
    public var addressing: S3Addressing
    /// True if an object under the same key may be replaced; otherwise `If-None-Match: *` is sent.
    public var overwrite: Bool
    /// Headers sent with every object, by name; those of ``S3Operation/byHeader`` also with other requests.
    public var headers: [String: String]
    /// Tags, headers with placeholders and the lock of every object.
    public var templates: ObjectTemplates
    /// The checksum that travels with an object.
    public var checksum: ChecksumAlgorithm
    /// True if the whole file is hashed with SHA-256 even if the checksum does not give it.
    public var digest: Bool
    /// True if SHA-256 is also sent in the header for checksums, and not only as the signed hash. Buckets with Object Lock
    /// require such a header; some endpoints refuse it.
    public var checksumHeader: Bool
    /// The requests whose checksum goes behind the bytes.
    public var checksumTrailer: ChecksumTrailer
    /// Files of at least this number of bytes are sent in parts.
    public var multipartThreshold: Int64
    /// The bytes of one part; more if a file would have too many parts.
    public var partSize: Int64
    /// The maximum number of parts of one file.
    public var maxParts: Int
    /// The number of parts of one file in flight.
    public var partConcurrency: Int
    /// The maximum time for connecting, TLS included.
    public var connectTimeout: Duration
    /// The maximum time for which a transfer may move no byte.
    public var stallTimeout: Duration
    /// The maximum time for which the storage may be silent while it makes an object of its parts.
    public var completeTimeout: Duration
    /// The file of a private CA (PEM); nil for the system's.
    public var caFile: String?
    /// The way to the storage; nil for the proxies that the environment names.
    public var proxy: Proxy?
    /// The end of the words about a refused key, e.g. that a changed key is seen only after a restart.
    public var keyNote: String?
    /// True if a 503 aborts a job, so that what it says names the setting by which it is tried again.
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

  /// The way to reach the storage.
  public internal(set) var options: Options
  let endpoint: S3Endpoint
  let signer: SigV4Signer
  var trust: StorageTrust
  var trailers: TrailerUse
  /// The time of signatures.
  let clock: StorageClock
  /// The configured headers, by the requests that they go with.
  var configured: ConfiguredHeaders
  /// The turns of jobs that store an object under the same key, by its address.
  let turns: Turns<String>
  let transport: Transport
  let workers: FileThreads
  let now: @Sendable () -> Timestamp
  let signingKey: @Sendable () async throws(CredentialError) -> SigningKey
  let identity: (@Sendable () throws(CredentialError) -> ClientIdentity)?
  let customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)?

  /// A storage that is reached over a transport.
  ///
  /// - Parameters:
  /// - workers: the threads on which files are opened, read and hashed.
  /// - turns: the turns of jobs with the same key, shared by all storages that may have the same objects.
  /// - now: the clock for the time of signatures and receipts.
  /// - notice: receives, once, what an operator should know about the use of the storage.
  /// - clockTrouble: called once when the clock here and the storage's are too far apart for signatures, and with nil once they
  ///   are not.
  /// - signingKey: reads the key; called again for each request.
  /// - identity: reads the certificate that the storage is shown; called again for each request. Nil for none.
  /// - customerKey: reads the key that the storage encrypts with; called again for each request that needs it. Nil for none.
  /// - Throws: ``EndpointError`` for an endpoint that is no address.
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

  /// Makes the storage show the next object that it is given, whatever it has shown before.
  public func proveNext() { trust.doubt() }

  /// The adapters that explain an error, in the order in which they are asked.
  static let adapters = FailureAdapters(
    [
      .s3,
      FailureAdapter(for: CredentialError.self) { Failure(.credentials, $0.reason) },
      FailureAdapter(for: FileError.self) { Failure(.file, $0.message, code: $0.code) },
    ] + FailureAdapters.standard.adapters)
}
