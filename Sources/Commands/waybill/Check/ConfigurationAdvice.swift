import Credentials
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import Settings

/// Finds settings that are not wrong by themselves, but most likely not intended.
enum ConfigurationAdvice {
  /// Returns the advice, with the section that it is about.
  /// - Parameters:
  ///   - environment: that in which credentials are found.
  ///   - now: the time by which certificates expire.
  ///   - readingCredentials: false if the keys are not on this machine.
  static func of(
    _ configuration: Configuration, environment: [String: String], now: Timestamp, readingCredentials: Bool
  ) -> [(subject: String, finding: ProbeFinding)] {
    let findings = settings(configuration)
    guard readingCredentials else { return findings }
    let certificates =
      configuration.storages.sorted { $0.key < $1.key }.map { ("storage.\($0.key)", $0.value.clientCertificate) }
      + configuration.backends.sorted { $0.key < $1.key }.flatMap { name, backend in
        [("backend.\(name)", backend.clientCertificate), ("backend.\(name)", backend.tokenCertificate)]
      }
    return findings
      + certificates.compactMap { name, certificate in
        certificate.flatMap { CertificateAdvice.of($0, environment: environment, now: now) }.map { (name, $0) }
      }
  }

  private static func settings(_ configuration: Configuration) -> [(subject: String, finding: ProbeFinding)] {
    var advice: [(String, String)] = []
    for (name, storage) in configuration.storages.sorted(by: { $0.key < $1.key }) {
      let secrets =
        [storage.accessKey, storage.secretKey, storage.sessionToken, storage.encryption?.secret].compactMap(\.self)
        + (storage.clientCertificate?.secrets ?? [])
      let words = [plainHTTP("endpoint", storage.endpoint)].compactMap(\.self)
      advice += (words + exposed(secrets)).map { ("storage.\(name)", $0) }
    }
    for (name, backend) in configuration.backends.sorted(by: { $0.key < $1.key }) {
      var secrets =
        [backend.token, backend.signingSecret].compactMap(\.self) + (backend.clientCertificate?.secrets ?? [])
      var addresses = [plainHTTP("url", backend.url)]
      if case .oauth(let client)? = backend.token {
        secrets += client.secrets
        addresses.append(plainHTTP("token.oauth.url", client.place))
      }
      for case .secret(let source) in backend.headers.values { secrets.append(source) }
      advice += (addresses.compactMap(\.self) + exposed(secrets)).map { ("backend.\(name)", $0) }
    }
    let ping = configuration.notify.ping.flatMap { plainHTTP("ping", $0, isSecret: true) }
    advice += [ping].compactMap { $0.map { ("notify", $0) } }
    for (name, webhook) in configuration.webhooks.sorted(by: { $0.key < $1.key }) {
      let words = [plainHTTP("url", webhook.url, isSecret: true)].compactMap(\.self)
      advice += (words + exposed(webhook.secrets)).map { ("webhook.\(name)", $0) }
    }
    return advice.map { ($0.0, ProbeFinding(.advice, $0.1)) }
  }

  /// Returns advice on files of secrets that every user of this host can read.
  private static func exposed(_ sources: [CredentialSource]) -> [String] {
    var paths: [String] = []
    for case .file(let path) in sources where !paths.contains(path) { paths.append(path) }
    return paths.compactMap { path in
      do throws(FileError) {
        guard try permissions(path: path) & 0o004 != 0, try isReachable(path) else { return nil }
        return "has a secret that every user of this host can read: chmod o-r \(path)"
      } catch {
        return nil  // reading the configuration has said that it cannot be read
      }
    }
  }

  /// Returns true if every directory above a file lets everybody pass.
  private static func isReachable(_ path: String) throws(FileError) -> Bool {
    var directory = path[...]
    while let slash = directory.lastIndex(of: "/"), slash != directory.startIndex {
      directory = directory[..<slash]
      guard try permissions(path: String(directory)) & 0o001 != 0 else { return false }
    }
    return true
  }

  /// Returns advice on addresses of other hosts without TLS: keys, tokens and files go over the network for everyone to read.
  ///
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

extension BackendSettings {
  /// The certificate for the token endpoint.
  fileprivate var tokenCertificate: ClientCertificate? {
    if case .oauth(let client)? = token { client.clientCertificate } else { nil }
  }
}
