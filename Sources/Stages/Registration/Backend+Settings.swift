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

    package init(
      transport: Transport, now: @escaping @Sendable () -> Timestamp, host: String, userAgent: String
    ) {
      self.transport = transport
      self.now = now
      self.host = host
      self.userAgent = userAgent
    }
  }

  /// Returns the stage that registers links, and the credentials that its token and secrets are read from.
  /// - Throws: `TemplateFault` for fields that are not templates. Reading the configuration detects that earlier.
  package static func configured(
    _ settings: BackendSettings, _ shared: Shared, _ readers: CredentialReaders
  ) throws -> (stage: Backend, credentials: [NamedCredential]) {
    let token = settings.token.map { readers.reader($0) }
    let signing = settings.signingSecret.map { readers.reader($0) }
    let headers = settings.headers.compactMapValues { $0.source.map { readers.reader($0) } }
    let certificate = settings.clientCertificate.map { readers.certificate($0) }
    let isFetched = settings.token?.isFetched ?? false
    let credentials = credentials(of: settings, readers)
    var otherToken: (@Sendable (Secret) async -> Bool)?
    if isFetched, let token { otherToken = { refused in await token.replace(refused) } }
    let backend = try Backend(
      settings, shared, tokenNote: credentials.lazy.compactMap(\.reader.source.restartNote).first,
      secrets: { () async throws(CredentialError) in
        var secrets = Backend.Secrets(signing: try signing?.read().text, identity: try certificate?.read())
        if isFetched { secrets.token = try await token?.currentSecret() } else { secrets.token = try token?.read() }
        for (name, reader) in headers { secrets.headers[name] = try reader.read().text }
        return secrets
      },
      otherToken: otherToken)
    return (backend, credentials)
  }

  package static func credentials(of settings: BackendSettings, _ readers: CredentialReaders) -> [NamedCredential] {
    var credentials: [NamedCredential] = []
    if let token = settings.token { credentials.append(.init(key: "token", reader: readers.reader(token))) }
    if let secret = settings.signingSecret {
      credentials.append(.init(key: "signing_secret", reader: readers.reader(secret)))
    }
    for (name, value) in settings.headers.sorted(by: { $0.key < $1.key }) {
      guard let source = value.source else { continue }
      credentials.append(.init(key: "headers.\(name)", reader: readers.reader(source)))
    }
    return credentials + (settings.clientCertificate.map { readers.certificate($0).credentials } ?? [])
  }
}

extension BackendSettings.HeaderValue {
  /// The value as it is in the configuration; nil for a secret.
  var text: String? { if case .text(let text) = self { text } else { nil } }

  fileprivate var source: CredentialSource? { if case .secret(let source) = self { source } else { nil } }
}
