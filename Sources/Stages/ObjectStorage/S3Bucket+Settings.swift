package import Credentials
package import HTTPTransfer
package import Jobs
package import Linux
public import Settings

extension S3Bucket {
  /// The objects and functions that the stages of all storages share.
  package struct Shared: Sendable {
    let transport: Transport
    let workers: WorkerThreads
    let turns: Turns<String>
    let now: @Sendable () -> Timestamp
    let userAgent: String
    let notice: @Sendable (String) -> Void
    let clockTrouble: @Sendable (_ storage: String, ClockTrouble?) -> Void
    let readers: CredentialReaders

    /// - Parameters:
    ///   - turns: makes jobs that store an object under the same key take turns.
    ///   - userAgent: the value of `User-Agent`.
    ///   - notice: is called once with something that an operator should know about the use of a storage.
    ///   - clockTrouble: is called when the clocks of a storage and of this machine differ too much, and with nil when they agree
    ///     again.
    package init(
      transport: Transport, workers: WorkerThreads, turns: Turns<String> = Turns(),
      now: @escaping @Sendable () -> Timestamp, userAgent: String,
      notice: @escaping @Sendable (String) -> Void = { _ in },
      clockTrouble: @escaping @Sendable (_ storage: String, ClockTrouble?) -> Void = { _, _ in },
      readers: CredentialReaders
    ) {
      self.transport = transport
      self.workers = workers
      self.turns = turns
      self.now = now
      self.userAgent = userAgent
      self.notice = notice
      self.clockTrouble = clockTrouble
      self.readers = readers
    }
  }

  /// Returns the stage that stores objects, and the credentials that it reads its signing key from.
  ///
  /// - Throws: `WebAddress.Fault` or `TemplateFault` for what is no address or no template, which reading the configuration finds earlier.
  package static func configured(
    _ settings: StorageSettings, _ shared: Shared
  ) throws -> (stage: S3Bucket, credentials: [NamedCredential]) {
    let readers = shared.readers
    let key = StorageKey(settings, readers)
    let customerKey = customerKey(settings, readers)
    let certificate = settings.clientCertificate.map { readers.certificate($0) }
    let bucket = try S3Bucket(
      settings, keyNote: key.restartNote, userAgent: shared.userAgent,
      transport: shared.transport, workers: shared.workers, turns: shared.turns, now: shared.now, notice: shared.notice,
      clockTrouble: { shared.clockTrouble(settings.name, $0) },
      signingKey: { () async throws(CredentialError) in try await key.read() },
      identity: certificate?.reader,
      customerKey: customerKey.map(Self.customerKey))
    return (bucket, credentials(of: settings, readers))
  }

  /// Returns the credentials that a storage's settings name.
  package static func credentials(of settings: StorageSettings, _ readers: CredentialReaders) -> [NamedCredential] {
    let customerKey = customerKey(settings, readers).map { NamedCredential(key: "encryption.customer_key", reader: $0) }
    let certificate = settings.clientCertificate.map { readers.certificate($0).credentials } ?? []
    return StorageKey(settings, readers).credentials + [customerKey].compactMap(\.self) + certificate
  }
}

extension S3Bucket {
  private static func customerKey(_ settings: StorageSettings, _ readers: CredentialReaders) -> CredentialReader? {
    settings.encryption?.secret.map { readers.reader($0, .key256) }
  }

  private static func customerKey(
    _ reader: CredentialReader
  ) -> @Sendable () throws(CredentialError) -> CustomerKey {
    { () throws(CredentialError) in CustomerKey(try reader.read().key256) }
  }
}

/// Reads the key that signs a storage's requests, again for each request: from one source for each value, or from a single
/// source.
private struct StorageKey: Sendable {
  /// The credentials that the key consists of.
  let credentials: [NamedCredential]
  private let accessKey: CredentialReader
  /// The reader of the secret key; nil if the access key's source gives all values.
  private let secretKey: CredentialReader?
  private let sessionToken: CredentialReader?

  init(_ settings: StorageSettings, _ readers: CredentialReaders) {
    accessKey = readers.reader(settings.accessKey)
    if settings.accessKey.givesAllKeys {
      (secretKey, sessionToken) = (nil, nil)
    } else {
      (secretKey, sessionToken) = (readers.reader(settings.secretKey), settings.sessionToken.map { readers.reader($0) })
    }
    credentials = [
      NamedCredential(key: "access_key", reader: accessKey, isShown: true),
      secretKey.map { NamedCredential(key: "secret_key", reader: $0) },
      sessionToken.map { NamedCredential(key: "session_token", reader: $0) },
    ].compactMap(\.self)
  }

  /// The addition to a refusal of the key, if a changed key takes effect only after a restart.
  var restartNote: String? { credentials.lazy.compactMap(\.reader.source.restartNote).first }

  func read() async throws(CredentialError) -> SigningKey {
    guard let secretKey else {
      let profile = try await accessKey.currentProfile()
      return SigningKey(
        accessKey: profile.accessKey.text, secret: profile.secretKey.text, sessionToken: profile.sessionToken?.text)
    }
    return SigningKey(
      accessKey: try accessKey.read().text, secret: try secretKey.read().text,
      sessionToken: try sessionToken?.read().text)
  }
}

extension String {
  /// True if it contains a placeholder.
  fileprivate var isTemplate: Bool { utf8.contains(UInt8(ascii: "{")) }
}

extension StorageSettings {
  /// The headers without placeholders, with those that settings of their own stand for.
  var plainHeaders: [String: String] {
    var headers = headers.filter { !$0.value.isTemplate }
    headers["x-amz-expected-bucket-owner"] = expectedBucketOwner ?? headers["x-amz-expected-bucket-owner"]
    if case .kms(let key)? = encryption {
      headers["x-amz-server-side-encryption"] = "aws:kms"
      headers["x-amz-server-side-encryption-aws-kms-key-id"] = key
    }
    return headers
  }
}

extension MetadataRoom {
  /// The space for metadata in objects of a storage.
  ///
  /// - Throws: `TemplateFault` for headers that are not templates. Reading the configuration detects that earlier.
  public init(_ settings: StorageSettings) throws {
    self.init(
      headers: settings.plainHeaders, templates: try ObjectTemplates(settings))
  }
}

extension ObjectTemplates {
  init(_ settings: StorageSettings) throws {
    try self.init(
      headers: settings.headers.filter { $0.value.isTemplate }, tags: settings.tags,
      lock: settings.objectLock, captures: settings.captures)
  }
}
