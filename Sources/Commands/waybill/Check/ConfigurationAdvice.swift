import CommandParts
import Credentials
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import OpenSSL
import Registration
import Settings

/// Advice about a configuration that is not tried, with the section that it is about. No secret is shown.
enum ConfigurationAdvice {
  typealias Finding = (subject: String, finding: ProbeFinding)

  /// A section, with advice on its addresses, its secrets and its certificates.
  private typealias Part = (
    subject: String, addresses: [String?], secrets: [CredentialSource?], certificates: [ClientCertificate?]
  )

  private static func parts(_ configuration: Configuration) -> [Part] {
    var parts = configuration.storages.sorted { $0.key < $1.key }.map { name, storage -> Part in
      (
        "storage.\(name)", [plainHTTP("endpoint", storage.endpoint)],
        [storage.accessKey, storage.secretKey, storage.sessionToken, storage.encryption?.secret],
        [storage.clientCertificate]
      )
    }
    parts += configuration.granted.sorted { $0.key < $1.key }.map { name, storage -> Part in
      ("storage.\(name)", [plainHTTP("upload_url", storage.uploadURL)], [], [])
    }
    parts += configuration.backends.sorted { $0.key < $1.key }.map { name, backend -> Part in
      let client: OAuthClient? = if case .oauth(let client)? = backend.token { client } else { nil }
      let headers = backend.headers.values.map { value -> CredentialSource? in
        if case .secret(let source) = value { source } else { nil }
      }
      return (
        "backend.\(name)",
        [plainHTTP("url", backend.url), client.flatMap { plainHTTP("token.oauth.url", $0.place) }],
        [backend.token, backend.signingSecret] + (client?.secrets ?? []) + headers,
        [backend.clientCertificate, client?.clientCertificate]
      )
    }
    return parts
      + configuration.webhooks.sorted { $0.key < $1.key }.map { name, webhook -> Part in
        ("webhook.\(name)", [plainHTTP("url", webhook.url, isSecret: true)], webhook.secrets, [])
      }
  }

  /// Finds settings that are not wrong by themselves, but most likely not intended.
  static func settings(_ configuration: Configuration) -> [Finding] {
    parts(configuration).flatMap { part in
      let secrets = part.secrets.compactMap(\.self) + part.certificates.compactMap { $0?.key }
      return (part.addresses.compactMap(\.self) + exposed(secrets)).map { (part.subject, ProbeFinding(.advice, $0)) }
    }
  }

  private static func exposed(_ sources: [CredentialSource]) -> [String] {
    var paths: [String] = []
    for case .file(let path) in sources where !paths.contains(path) { paths.append(path) }
    return paths.compactMap { path in
      // Ignored: reading the configuration has said which file cannot be read.
      guard let mode = try? FileFacts(following: path).permissions, mode & 0o004 != 0, (try? isReachable(path)) == true
      else {
        return nil
      }
      return "has a secret that every user of this host can read: chmod o-r \(path)"
    }
  }

  private static func isReachable(_ path: String) throws(FileError) -> Bool {
    var directory = path[...]
    while let slash = directory.lastIndex(of: "/"), slash != directory.startIndex {
      directory = directory[..<slash]
      guard try FileFacts(following: String(directory)).permissions & 0o001 != 0 else { return false }
    }
    return true
  }

  /// Returns advice on addresses of other hosts without TLS: keys, tokens and files go over the network for everyone to read.
  /// - Parameter isSecret: true if the path of the address may be a secret.
  private static func plainHTTP(_ key: String, _ address: String, isSecret: Bool = false) -> String? {
    guard let url = URLComponents(string: address), url.scheme?.lowercased() == "http", let host = url.host else {
      return nil
    }
    let name = String(host.lowercased().trimmingPrefix("[").prefix { $0 != "]" })
    let isHere =
      name == "localhost" || name.hasSuffix(".localhost") || name.hasPrefix("127.") || name == "::1"
      || name == ProcessInfo.processInfo.hostName.lowercased()
    guard !isHere else { return nil }
    let shown = isSecret ? "http://\(host)/…" : address
    return "has \(key) = \"\(shown)\": without https:// others on the way can read and change what is sent"
  }
}

extension ConfigurationAdvice {
  /// The time before its end at which a certificate should have been replaced.
  static let margin: Duration = .seconds(14 * 86_400)

  /// Tells where each key, token and secret comes from. Nothing is fetched.
  static func keys(_ configuration: Configuration, environment: [String: String]) -> [Finding] {
    let readers = CredentialReaders { source, form in
      CredentialReader(source, form: form, environment: environment)
    }
    let storages = configuration.storages.sorted { $0.key < $1.key }.map { name, settings in
      ("storage.\(name)", S3Bucket.credentials(of: settings, readers))
    }
    let granted = configuration.granted.sorted { $0.key < $1.key }.map { name, settings in
      (
        "storage.\(name)",
        ProbeFinding(.fits, "has no key: backend.\(settings.backend) grants each upload, at \(settings.uploadURL)")
      )
    }
    let backends = configuration.backends.sorted { $0.key < $1.key }.map { name, settings in
      ("backend.\(name)", Backend.credentials(of: settings, readers))
    }
    return granted
      + (storages + backends).flatMap { subject, credentials in
        credentials.map { (subject, ProbeFinding(.fits, words($0))) }
      }
  }

  private static func words(_ credential: NamedCredential) -> String {
    let source = credential.reader.source
    let isReadable = credential.isShown && !source.isFetched && credential.reader.canBeRead
    // Ignored: reading the configuration has said which keys cannot be read.
    let id = isReadable ? (try? credential.reader.read()).map { " \($0.text)" } ?? "" : ""
    let change = source.changesWhileRunning ? "" : ", and a change of it takes effect after a restart"
    return "has \(credential.key)\(id) from \(source)\(change)"
  }

  /// Finds signing secrets that can be read and sign nothing: what they are for would wait for another one.
  static func signing(_ configuration: Configuration, environment: [String: String]) -> [Finding] {
    let sources: [(String, CredentialSource?)] =
      configuration.backends.map { ("backend.\($0.key)", $0.value.signingSecret) }
      + configuration.webhooks.map { ("webhook.\($0.key)", $0.value.signingSecret) }
    return sources.sorted { $0.0 < $1.0 }.compactMap { subject, source in
      // Ignored: reading the configuration has said which secrets cannot be read.
      guard let source, let secret = try? CredentialReader(source, environment: environment).read() else { return nil }
      // Ignored: the only fault that it can have.
      guard (try? WebhookSigner(secret: secret.text)) == nil else { return nil }
      let words = "has a signing_secret (\(source)) that is not base64, with or without whsec_ before it"
      return (subject, ProbeFinding(.fault, words))
    }
  }

  static func certificates(_ configuration: Configuration, environment: [String: String]) -> [Finding] {
    parts(configuration).flatMap { part in
      part.certificates.compactMap { certificate in
        certificate.flatMap { validity(of: $0, environment: environment, now: .now) }.map { (part.subject, $0) }
      }
    }
  }

  /// Returns the finding on a certificate; nil if it cannot be read, which was reported when the configuration was read.
  private static func validity(
    of certificate: ClientCertificate, environment: [String: String], now: Timestamp
  ) -> ProbeFinding? {
    // Ignored: see above.
    guard
      let text = try? CredentialReader(certificate.certificate, form: .lines, environment: environment).read(),
      let found = try? Certificate(pem: text.bytes)
    else { return nil }
    let (start, end) = (Timestamp(seconds: found.notBefore), Timestamp(seconds: found.notAfter))
    let name = "has a client_cert (\(certificate.certificate)) that"
    if end < now { return ProbeFinding(.fault, "\(name) expired on \(Words.time(end)): replace it") }
    if start > now {
      return ProbeFinding(
        .fault, "\(name) is good from \(Words.time(start)) on only: see whether the clock here is right")
    }
    guard end - now < margin else { return ProbeFinding(.fits, "\(name) is good until \(Words.time(end))") }
    return ProbeFinding(.advice, "\(name) expires on \(Words.time(end)): it should be replaced by now")
  }
}
