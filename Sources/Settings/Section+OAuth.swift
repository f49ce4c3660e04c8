import Certificates
import Credentials

/// A token from an OAuth 2 server: `token = { oauth = { … } }`.
extension Section {
  /// The ways in which a client that has a secret shows it.
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
    let proof = inner.proof(check)
    let scope = inner.optionalText("scope", example: "\"documents.write\"")
    let audience = inner.optionalText("audience", example: "\"https://api.example.com\"")
    let caFile = inner.certificates("ca_file", check: check)
    inner.finish()
    guard let url, let id, let proof else { return nil }
    return OAuthClient(url: url, clientID: id, proof: proof, scope: scope, audience: audience, caFile: caFile)
  }

  private mutating func proof(_ check: CredentialCheck) -> OAuthClient.Proof? {
    let secretExample = "{ file = \"/etc/waybill/keys/client-secret\" }"
    let secret = credential("client_secret", example: secretExample, check: check)
    let authentication: ClientAuthentication = choice("auth", default: .basic)
    let key = pem("private_key", check: check)
    let password = credential(
      "private_key_password", example: "{ file = \"/etc/waybill/keys/password\" }", check: check)
    let keyID = optionalText("key_id", example: "\"2026-01\"")
    switch (table["client_secret"] != nil, table["private_key"] != nil) {
    case (false, false): missing("client_secret", example: secretExample)
    case (true, true): problem("private_key", "is beside client_secret", "leave one of them out")
    case (true, false):
      for key in ["private_key_password", "key_id"] where table[key] != nil {
        problem(key, "belongs to private_key, which is missing", "leave it out")
      }
      return secret.map { authentication == .basic ? .basic($0) : .post($0) }
    case (false, true):
      if table["auth"] != nil { problem("auth", "belongs to client_secret, which is missing", "leave it out") }
      guard let key, table["private_key_password"] == nil || password != nil else { return nil }
      if let fault = check.fault(signingKey: key, password) { problem("private_key", fault.words, fault.remedy) }
      return .key(key, password: password, id: keyID)
    }
    return nil
  }

  /// A text that is not empty, if it is there.
  private mutating func optionalText(_ key: String, example: String) -> String? {
    guard table[key] != nil else {
      _ = node(key)
      return nil
    }
    return requiredText(key, example: example)
  }
}

extension CredentialCheck {
  /// Returns the reason why a key that can be read cannot sign, or nil if it can.
  func fault(signingKey source: CredentialSource, _ password: CredentialSource?) -> (words: String, remedy: String)? {
    guard reads else { return nil }
    let texts: (key: Secret, password: Secret?)
    do throws(CredentialError) {
      texts = (
        try CredentialReader(source, form: .lines, environment: environment).read(),
        try password.map { source throws(CredentialError) in
          try CredentialReader(source, environment: environment).read()
        }
      )
    } catch {
      return nil  // told already
    }
    do throws(CertificateFault) {
      let key = try PrivateKey(pem: texts.key.bytes, password: texts.password?.bytes)
      guard key.algorithm != nil else {
        return (
          "\(source) has a key of a kind that cannot sign", "use an RSA key, one on P-256, P-384 or P-521, or Ed25519"
        )
      }
      return nil
    } catch {
      let remedy =
        switch error {
        case .needsPassword: "name its password by private_key_password"
        case .wrongPassword: "see private_key_password"
        default: "name a PEM file with the private key"
        }
      return ("\(source) \(error.words)", remedy)
    }
  }
}
