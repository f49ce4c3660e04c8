import Credentials

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
    guard table["client_secret"] == nil else { return secret.map { authentication == .basic ? .basic($0) : .post($0) } }
    guard table["client_cert"] != nil else {
      missing("client_secret", example: secretExample)
      return nil
    }
    if table["auth"] != nil { problem("auth", "belongs to client_secret, which is missing", "leave it out") }
    return .certificate
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
}
