package import Credentials
package import HTTPTransfer
package import Jobs
package import Linux
public import Settings

/// Stores objects in an S3 bucket: one call is one attempt of step 1.
///
/// A file is sent by one PUT (`S3Bucket+Upload.swift`) or in parts (`S3Bucket+Parts.swift`). Before and after the bytes, HEAD shows whose
/// object is under the key, and if an answer is true (`S3Bucket+Head.swift`). Each request is built just before it is sent.
public final class S3Bucket: Sendable {
  /// The maximum number of bytes of an object stored by a single PUT ("Uploading objects" in the S3 user guide): 5 GiB.
  static let singlePutLimit: Int64 = 5 << 30
  /// The maximum number of bytes of an object, except at AWS, where only the parts have limits.
  static let largestObject: Int64 = 5 << 40

  /// The objects and functions that the stages of all storages share.
  package struct Shared: Sendable {
    let transport: Transport
    let workers: WorkerThreads
    let turns: Turns<String>
    let now: @Sendable () -> Timestamp
    let userAgent: String?
    let notice: @Sendable (String) -> Void

    /// - Parameters:
    ///   - turns: makes jobs that store an object under the same URL take turns.
    ///   - notice: tells the operator a fact about a storage, once.
    package init(
      transport: Transport, workers: WorkerThreads, turns: Turns<String> = Turns(),
      now: @escaping @Sendable () -> Timestamp, userAgent: String? = nil,
      notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
      self.transport = transport
      self.workers = workers
      self.turns = turns
      self.now = now
      self.userAgent = userAgent
      self.notice = notice
    }
  }

  /// The storage's section of the configuration.
  public let settings: StorageSettings
  /// Tags, headers with placeholders and the lock of every object.
  public let templates: ObjectTemplates
  let keyNote: String?
  let shared: Shared
  /// The name of the limit of requests a second; nil for none.
  let rate: String?
  let endpoint: S3Endpoint
  /// The shape of all requests that store something, without the client certificate.
  let putShape: RequestShape
  let signer: SigV4Signer
  let trust: StorageTrust
  /// The checksums of large files with unfinished uploads.
  let readSums = ReadSums()
  let configured: ConfiguredHeaders
  let signingKey: @Sendable () async throws(CredentialError) -> SigningKey
  let asksForEncryption: Bool
  let identity: (@Sendable () throws(CredentialError) -> ClientIdentity)?
  let customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)?

  var transport: Transport { shared.transport }
  var workers: WorkerThreads { shared.workers }
  var now: @Sendable () -> Timestamp { shared.now }

  /// A storage of these settings. Keys and certificates are read again for each request.
  /// - Parameter keyNote: the end of the words about a refused key, e.g. that a changed key is seen only after a restart.
  /// - Throws: `WebAddress.Fault` or `TemplateFault`, which reading the configuration detects earlier.
  package init(
    _ settings: StorageSettings, _ shared: Shared, keyNote: String? = nil,
    signingKey: @escaping @Sendable () async throws(CredentialError) -> SigningKey,
    identity: (@Sendable () throws(CredentialError) -> ClientIdentity)? = nil,
    customerKey: (@Sendable () throws(CredentialError) -> CustomerKey)? = nil
  ) throws {
    self.settings = settings
    self.shared = shared
    self.rate = settings.rate.map { _ in Destination.storage(settings.name).text }
    self.templates = try ObjectTemplates(settings)
    self.keyNote = keyNote
    self.endpoint = try S3Endpoint(settings.endpoint, addressing: settings.addressing)
    self.putShape = Self.shape(settings, "PUT", silence: settings.stallTimeout)
    self.signer = SigV4Signer(region: settings.region)
    self.configured = ConfiguredHeaders(settings.plainHeaders)
    self.trust = StorageTrust(notice: shared.notice)
    self.signingKey = signingKey
    self.identity = identity
    self.customerKey = customerKey
    self.asksForEncryption = customerKey != nil || WantedEncryption(configured, nil) != nil
  }

  /// Makes the storage prove the next object by HEAD, whatever it has proven before.
  public func proveNext() { trust.doubt() }
}

extension S3Bucket {
  package static func configured(
    _ settings: StorageSettings, _ shared: Shared, _ readers: CredentialReaders
  ) throws -> (stage: S3Bucket, credentials: [NamedCredential]) {
    let accessKey = readers.reader(settings.accessKey)
    let secretKey = settings.accessKey.givesAllKeys ? nil : readers.reader(settings.secretKey)
    let sessionToken = secretKey.flatMap { _ in settings.sessionToken.map { readers.reader($0) } }
    let customerKey = settings.encryption?.secret.map { readers.reader($0, .key256) }
    let bucket = try S3Bucket(
      settings, shared, keyNote: [accessKey, secretKey, sessionToken].lazy.compactMap { $0?.source.restartNote }.first,
      signingKey: { () async throws(CredentialError) in
        guard let secretKey else { return try await accessKey.currentProfile() }
        return SigningKey(
          accessKey: try accessKey.read().text, secret: try secretKey.read().text,
          sessionToken: try sessionToken?.read().text)
      },
      identity: settings.clientCertificate.map { readers.certificate($0).read },
      customerKey: customerKey.map { Self.reading($0) })
    return (bucket, credentials(of: settings, readers))
  }

  private static func reading(_ reader: CredentialReader) -> @Sendable () throws(CredentialError) -> CustomerKey {
    { () throws(CredentialError) in CustomerKey(try reader.read().key256) }
  }

  /// Returns the credentials that a storage's settings name. One source may give all signing keys.
  package static func credentials(of settings: StorageSettings, _ readers: CredentialReaders) -> [NamedCredential] {
    var credentials = [
      NamedCredential(key: "access_key", reader: readers.reader(settings.accessKey), isShown: true)
    ]
    func add(_ key: String, _ source: CredentialSource?, _ form: Secret.Form = .line) {
      if let source { credentials.append(NamedCredential(key: key, reader: readers.reader(source, form))) }
    }
    if !settings.accessKey.givesAllKeys {
      add("secret_key", settings.secretKey)
      add("session_token", settings.sessionToken)
    }
    add("encryption.customer_key", settings.encryption?.secret, .key256)
    return credentials + (settings.clientCertificate.map { readers.certificate($0).credentials } ?? [])
  }
}
