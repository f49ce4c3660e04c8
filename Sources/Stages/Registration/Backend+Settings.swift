package import Credentials
package import HTTPTransfer
package import Jobs
package import Settings

extension Backend {
  /// The objects and functions that the stages of all backends share.
  package struct Shared: Sendable {
    let transport: Transport
    let now: @Sendable () -> Timestamp
    let host: String
    let userAgent: String
    let readers: CredentialReaders

    /// - Parameters:
    ///   - host: the name of this host, which is sent to backends.
    ///   - userAgent: the value of `User-Agent`.
    package init(
      transport: Transport, now: @escaping @Sendable () -> Timestamp, host: String, userAgent: String,
      readers: CredentialReaders
    ) {
      self.transport = transport
      self.now = now
      self.host = host
      self.userAgent = userAgent
      self.readers = readers
    }
  }

  /// Returns the stage that registers links, and the credentials that its token and secrets are read from.
  ///
  /// - Throws: `TemplateFault` for fields that are not templates. Reading the configuration detects that earlier.
  package static func configured(
    _ settings: BackendSettings, _ shared: Shared
  ) throws -> (stage: Backend, credentials: [NamedCredential]) {
    let readers = shared.readers
    let token = settings.token.map { readers.reader($0) }
    let signing = settings.signingSecret.map { readers.reader($0) }
    let headers = settings.headers.compactMapValues { $0.source.map { readers.reader($0) } }
    let certificate = settings.clientCertificate.map { readers.certificate($0) }
    let isFetched = settings.token?.isFetched ?? false
    var credentials = headers.sorted { $0.key < $1.key }.map { name, reader in
      NamedCredential(key: "headers.\(name)", reader: reader)
    }
    if let signing { credentials.insert(.init(key: "signing_secret", reader: signing), at: 0) }
    if let token { credentials.insert(.init(key: "token", reader: token), at: 0) }
    credentials += certificate?.credentials ?? []
    var otherToken: (@Sendable (Secret) async -> Bool)?
    if isFetched, let token { otherToken = { refused in await token.replace(refused) } }
    let backend = try Backend(
      settings, host: shared.host, userAgent: shared.userAgent,
      tokenNote: credentials.lazy.compactMap(\.reader.source.restartNote).first,
      transport: shared.transport, now: shared.now,
      secrets: { () async throws(CredentialError) in
        var secrets = Backend.Secrets(signing: try signing?.read().text, identity: try certificate?.read())
        if isFetched { secrets.token = try await token?.currentSecret() } else { secrets.token = try token?.read() }
        for (name, reader) in headers { secrets.headers[name] = try reader.read().text }
        return secrets
      },
      otherToken: otherToken)
    return (backend, credentials)
  }
}

extension BackendSettings.HeaderValue {
  /// The value as it is in the configuration; nil for a secret.
  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The source of a secret; nil for a value from the configuration.
  fileprivate var source: CredentialSource? { if case .secret(let source) = self { source } else { nil } }
}
