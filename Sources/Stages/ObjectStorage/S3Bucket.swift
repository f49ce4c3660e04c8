public import Credentials
public import HTTPTransfer
public import Jobs
public import Linux
public import Settings
import Messages

/// Stores objects in an S3 bucket: one call is one attempt of step 1.
///
/// The parts of an attempt: ``upload(_:)`` chooses the form (`S3Bucket+Upload.swift`: one PUT, for small files first on a straight
/// way, `S3Bucket+Straight.swift`; `S3Bucket+Multipart.swift`: parts). Before and after the bytes, HEAD
/// shows whose object is under the key (`S3Bucket+Occupant.swift`) and whether an answer is true (`S3Bucket+Proof.swift`).
/// ``clear(_:)`` removes what a cancelled job has left.
///
/// See "PutObject" and "HeadObject" in the S3 API reference. Each request is built just before it is sent, with the address,
/// headers, key, time and signature of that moment.
public struct S3Bucket: Sendable {
  /// The maximum number of bytes of an object stored by a single PUT ("Uploading objects" in the S3 user guide): 5 GiB.
  static let singlePutLimit: Int64 = 5 << 30
  /// The most bytes of an object, except at AWS, where it has as many as its parts.
  static let largestObject: Int64 = 5 << 40

  /// Its section of the configuration.
  public internal(set) var settings: StorageSettings
  /// Tags, headers with placeholders and the lock of every object.
  public internal(set) var templates: ObjectTemplates
  /// The end of the words about a refused key.
  let keyNote: String?
  let userAgent: String?
  let endpoint: S3Endpoint
  /// The shape of all requests that store something, without the client certificate.
  var putShape: RequestShape
  let signer: SigV4Signer
  var trust: StorageTrust
  /// The checksums of large files whose upload goes on.
  let readSums = ReadSums()
  /// The clock for signatures.
  let clock: StorageClock
  /// The configured headers, by the operations that they are sent with.
  var configured: ConfiguredHeaders
  /// Makes jobs that store an object under the same key take turns; the key is the object's URL.
  let turns: Turns<String>
  let transport: Transport
  let workers: WorkerThreads
  let now: @Sendable () -> Timestamp
  let signingKey: @Sendable () async throws(CredentialError) -> SigningKey
  /// True if the storage is to encrypt objects by a key or algorithm that is configured.
  let asksForEncryption: Bool
  let identity: (@Sendable () throws(CredentialError) -> ClientIdentity)?
  let customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)?

  /// A storage that is accessed through this transport.
  ///
  /// - Parameters:
  ///   - keyNote: the end of the words about a refused key, e.g. that a changed key is seen only after a restart.
  ///   - userAgent: the value of `User-Agent`, e.g. `waybill/1.0.0`; nil for none.
  ///   - workers: the threads on which files are opened, read and hashed.
  ///   - turns: the turns of jobs with the same key, shared by all storages that may have the same objects.
  ///   - now: the clock for the time of signatures and receipts.
  ///   - notice: receives, once, what an operator should know about the use of the storage.
  ///   - clockTrouble: called once when the clock here and the storage's are too far apart for signatures, and with nil once they
  ///     are not.
  ///   - signingKey: reads the key; called again for each request.
  ///   - identity: reads the certificate that the storage is shown; called again for each request. Nil for none.
  ///   - customerKey: reads the key that the storage encrypts with; called again for each request that needs it. Nil for none.
  /// - Throws: `WebAddress.Fault` or `TemplateFault` for what is no address or no template, which reading the configuration finds earlier.
  public init(
    _ settings: StorageSettings, keyNote: String? = nil, userAgent: String? = nil, transport: Transport,
    workers: WorkerThreads, turns: Turns<String> = Turns(),
    now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in },
    clockTrouble: @escaping @Sendable (ClockTrouble?) -> Void = { _ in },
    signingKey: @escaping @Sendable () async throws(CredentialError) -> SigningKey,
    identity: (@Sendable () throws(CredentialError) -> ClientIdentity)? = nil,
    customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)? = nil
  ) throws {
    self.settings = settings
    self.templates = try ObjectTemplates(settings)
    self.keyNote = keyNote
    self.userAgent = userAgent
    self.endpoint = try S3Endpoint(settings.endpoint, addressing: settings.addressing)
    self.putShape = Self.shape(settings, "PUT", silence: settings.stallTimeout)
    self.signer = SigV4Signer(region: settings.region)
    self.configured = ConfiguredHeaders(settings.plainHeaders)
    self.trust = StorageTrust(notice: notice)
    self.clock = StorageClock(now: now, onChange: clockTrouble)
    self.turns = turns
    self.transport = transport
    self.workers = workers
    self.now = now
    self.signingKey = signingKey
    self.identity = identity
    self.customerKey = customerKey
    self.asksForEncryption = customerKey != nil || WantedEncryption(configured, nil) != nil
  }

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
