import Credentials
import OpenSSL

/// A token from an OAuth 2 server: `token = { oauth = { … } }`.
extension Section {
  /// The ways in which a client with a secret authenticates.
  enum ClientAuthentication: String, Choice {
    /// In the header Authorization.
    case basic
    /// In the form.
    case post
  }

  mutating func oauth(_ key: String, check: CredentialCheck) -> OAuthClient? {
    let example =
      "\(key) = { url = \"https://login.example.com/token\", client_id = \"waybill\", client_secret = { … } }"
    guard var inner = section(key, example: example) else { return nil }
    let url = inner.requiredText("url", example: "\"https://login.example.com/token\"")
      .flatMap { inner.backendURL("url", $0) }
    let id = inner.requiredText("client_id", example: "\"waybill\"")
    let certificate = inner.clientCertificate(check: check)
    let proof = inner.proof(check)
    let scope = inner.optionalText("scope", example: "\"documents.write\"")
    let audience = inner.optionalText("audience", example: "\"https://api.example.com\"")
    let resources = inner.resources("resource")
    let caFile = inner.certificates("ca_file", check: check)
    inner.finish()
    guard let url, let id, let proof else { return nil }
    return OAuthClient(
      url: url, clientID: id, proof: proof, scope: scope, audience: audience, resources: resources,
      clientCertificate: certificate, caFile: caFile)
  }

  private mutating func proof(_ check: CredentialCheck) -> OAuthClient.Proof? {
    let secretExample = "{ file = \"/etc/waybill/keys/client-secret\" }"
    let secret = credential("client_secret", example: secretExample, check: check)
    let authentication: ClientAuthentication = choice("auth", default: .basic)
    let key = pem("private_key", check: check)
    let password = credential(
      "private_key_password", example: "{ file = \"/etc/waybill/keys/password\" }", check: check)
    let keyID = optionalText("key_id", example: "\"2026-01\"")
    let certificate = pem("private_key_cert", check: check)
    let algorithm: PrivateKey.Algorithm? = has("algorithm") ? choice("algorithm", default: .ps256) : nil
    let issuer = optionalText("issuer", example: "\"https://login.example.com\"")
    switch (table["client_secret"] != nil, table["private_key"] != nil) {
    case (false, false):
      guard table["client_cert"] != nil else {
        missing("client_secret", example: secretExample)
        return nil
      }
      refuse(["auth"], without: "client_secret")
      refuse(Self.ofPrivateKey, without: "private_key")
      return .certificate
    case (true, true): problem("private_key", "is beside client_secret", "leave one of them out")
    case (true, false):
      refuse(Self.ofPrivateKey, without: "private_key")
      return secret.map { authentication == .basic ? .basic($0) : .post($0) }
    case (false, true):
      refuse(["auth"], without: "client_secret")
      guard let key, table["private_key_password"] == nil || password != nil,
        table["private_key_cert"] == nil || certificate != nil, !hasProblem("algorithm")
      else { return nil }
      let signing = OAuthClient.Signing(
        key: key, password: password, keyID: keyID, certificate: certificate, algorithm: algorithm, audience: issuer)
      if let (key, words, remedy) = check.fault(of: signing) { problem(key, words, remedy) }
      return .key(signing)
    }
    return nil
  }

  private static let ofPrivateKey = ["private_key_password", "key_id", "private_key_cert", "algorithm", "issuer"]

  private func refuse(_ keys: [String], without other: String) {
    for key in keys where table[key] != nil { problem(key, "belongs to \(other), which is missing", "leave it out") }
  }

  /// Returns the addresses of servers, one as a text or several as an array. Some servers take more than the absolute URIs of RFC
  /// 8707, section 2; a fragment is never allowed.
  private mutating func resources(_ key: String) -> [String] {
    let example = "\(key) = \"https://api.example.com\""
    guard let node = node(key) else { return [] }
    let found: [String]
    if case .array = node.value {
      found = (texts(key, atMost: 16, example: example) ?? []).map(\.text)
    } else {
      found = [requiredText(key, example: "\"https://api.example.com\"")].compactMap(\.self)
    }
    for text in found where text.isEmpty || !text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    {
      problem(key, "\(Quoted(text)) is no address of a server", "write it like \(example)")
    }
    return found
  }

  /// Returns a text that must not be empty, if the key is there.
  private mutating func optionalText(_ key: String, example: String) -> String? {
    guard table[key] != nil else {
      _ = node(key)
      return nil
    }
    return requiredText(key, example: example)
  }
}

extension PrivateKey.Algorithm: Choice {}

extension CredentialCheck {
  /// Returns the key and the reason why a private key that can be read cannot sign as configured, or nil if it can.
  func fault(of signing: OAuthClient.Signing) -> (key: String, words: String, remedy: String)? {
    guard reads else { return nil }
    func text(_ source: CredentialSource?, _ form: Secret.Form) throws(CredentialError) -> Secret? {
      try source.map { source throws(CredentialError) in
        try CredentialReader(source, form: form, environment: environment).read()
      }
    }
    let texts: (key: Secret?, password: Secret?, certificate: Secret?)
    do throws(CredentialError) {
      texts = (try text(signing.key, .lines), try text(signing.password, .line), try text(signing.certificate, .lines))
    } catch {
      return nil  // reported already
    }
    let key: PrivateKey
    do throws(CertificateFault) {
      key = try PrivateKey(pem: texts.key?.bytes ?? [], password: texts.password?.bytes)
    } catch {
      let remedy =
        switch error {
        case .needsPassword: "name its password by private_key_password"
        case .wrongPassword: "see private_key_password"
        default: "name a PEM file with the private key"
        }
      return ("private_key", "\(signing.key) \(error.words)", remedy)
    }
    guard let first = key.algorithm else {
      return (
        "private_key", "\(signing.key) has a key of a kind that cannot sign",
        "use an RSA key, one on P-256, P-384 or P-521, or Ed25519"
      )
    }
    if let algorithm = signing.algorithm, !key.algorithms.contains(algorithm) {
      return (
        "algorithm", "\(signing.key) has a key that does not sign by \(algorithm.rawValue)",
        "leave it out for \(first.rawValue)"
      )
    }
    return signing.certificate.flatMap { source in fault(of: texts.certificate, in: source, for: key) }
  }

  private func fault(
    of text: Secret?, in source: CredentialSource, for key: PrivateKey
  ) -> (key: String, words: String, remedy: String)? {
    do throws(CertificateFault) {
      guard try Certificate(pem: text?.bytes ?? []).belongs(to: key) else {
        return ("private_key_cert", "\(source) is the certificate of another key", "name that of private_key")
      }
      return nil
    } catch {
      return ("private_key_cert", "\(source) \(error.words)", "name a PEM file with the certificate of private_key")
    }
  }
}
