import Credentials

/// Credentials: a table with one key that names the source of the value, which is never shown, even if it is in the configuration.
extension Section {
  static let credentialForms = "{ file = \"/path\" }, { credential = \"NAME\" } or { env = \"NAME\" }"

  private static func example(_ file: String) -> String { "{ file = \"/etc/waybill/keys/\(file)\" }" }

  mutating func requiredCredential(_ key: String, file: String, profile: Bool = false) -> CredentialSource? {
    if !has(key) { missing(key, example: Self.example(file)) }
    return credential(key, file: file, profile: profile)
  }

  /// - Parameter profile: true if it may be a source of all keys of a storage together, as an AWS profile is.
  mutating func credential(
    _ key: String, file: String, profile: Bool = false, oauth: Bool = false, form: Secret.Form = .line
  ) -> CredentialSource? {
    guard let node = node(key) else { return nil }
    guard let table = node.table else {
      if let variable = node.variable {
        // The variable names the file, or has the secret itself, which is read from there, as with { env = … }.
        let place = variable.isFile ? ["file": Node(variable.text)] : ["env": Node(variable.name)]
        return credential(key, place, line: nil, profile: profile, form: form)
      }
      return refuse(
        key, "is \(node.shownType), but a secret must not be in the configuration",
        "put it into a file and write \(key) = \(Self.example(file))")
    }
    return credential(key, table, line: node.line, profile: profile, oauth: oauth, form: form)
  }

  func credential(
    _ key: String, _ table: [String: Node], line: Int?, profile isProfileAllowed: Bool = false,
    oauth isOAuthAllowed: Bool = false, form: Secret.Form = .line
  ) -> CredentialSource? {
    let place = self.table[key]?.variable == nil ? self.file : EnvironmentSettings.file
    var inner = Section(file: place, path: keyPath(key), line: line, table: table, problems: problems)
    let file = inner.path("file", example: "\"/etc/waybill/keys/\(key)\"")
    let credential = inner.credentialName("credential")
    let variable = inner.variableName("env")
    let profile = inner.text("aws_profile", example: "\"default\"")
    let chain = inner.text("aws", example: "\"default\"")
    let client = isOAuthAllowed ? inner.oauth("oauth") : nil
    if !isOAuthAllowed, table["oauth"] != nil {
      _ = inner.node("oauth")
      return inner.refuse("oauth", "cannot be used here", "write one of \(Self.credentialForms)")
    }
    inner.finish()
    let sources = [
      file.map(CredentialSource.file), credential.map(CredentialSource.credential),
      variable.map(CredentialSource.environment), profile.map(CredentialSource.awsProfile),
      chain.map { .aws($0) }, client.map(CredentialSource.oauth),
    ].compactMap { $0 }
    guard table.count == 1 else {
      if sources.count == table.count {
        let fault = table.isEmpty ? "does not say where to read it from" : "names several places to read it from"
        problem(key, fault, "write one of \(Self.credentialForms)", line: line)
      }
      return nil
    }
    guard let source = sources.first else { return nil }
    if let variable { keyCheck.settings.use(asSecret: variable) }
    if source.givesAllKeys, !isProfileAllowed {
      return inner.refuse(
        chain == nil ? "aws_profile" : "aws", "cannot be used here", "write one of \(Self.credentialForms)")
    }
    if let fault = keyCheck.fault(source, form) {
      return refuse(key, fault.words, fault.remedy, line: line, mayPass: fault.mayPass)
    }
    return source
  }

  private mutating func credentialName(_ key: String) -> String? {
    guard let name = optionalText(key, example: "\"s3-access-key\"") else { return nil }
    guard !name.contains("/"), name != ".", name != "..", name.utf8.count <= 255 else {
      return refuse(key, "\(quoted(name)) is not a valid credential name", "use the NAME of LoadCredential=NAME:/path")
    }
    return name
  }

  private mutating func variableName(_ key: String) -> String? {
    guard let name = optionalText(key, example: "\"S3_ACCESS_KEY\"") else { return nil }
    guard !name.contains("="), name.utf8.count <= 255 else {
      return refuse(key, "\(quoted(name)) is not a valid environment variable name")
    }
    return name
  }
}

/// A token from an OAuth 2 server: `token = { oauth = { … } }`.
extension Section {
  enum ClientAuthentication: String, Choice {
    case basic
    case post
  }

  mutating func oauth(_ key: String) -> OAuthClient? {
    let example =
      "\(key) = { url = \"https://login.example.com/token\", client_id = \"waybill\", client_secret = { … } }"
    guard var inner = section(key, example: example) else { return nil }
    let url = inner.requiredText("url", example: "\"https://login.example.com/token\"")
      .flatMap { inner.backendURL("url", $0) }
    let id = inner.requiredText("client_id", example: "\"waybill\"")
    let certificate = inner.clientCertificate()
    let proof = inner.proof()
    let scope = inner.optionalText("scope", example: "\"documents.write\"")
    let audience = inner.optionalText("audience", example: "\"https://api.example.com\"")
    let caFile = inner.certificates("ca_file")
    inner.finish()
    guard let url, let id, let proof else { return nil }
    return OAuthClient(
      url: url, clientID: id, proof: proof, scope: scope, audience: audience, clientCertificate: certificate,
      caFile: caFile)
  }

  private mutating func proof() -> OAuthClient.Proof? {
    let secret = credential("client_secret", file: "client-secret")
    let authentication: ClientAuthentication = choice("auth", default: .basic)
    guard table["client_secret"] == nil else { return secret.map { authentication == .basic ? .basic($0) : .post($0) } }
    guard table["client_cert"] != nil else {
      missing("client_secret", example: Self.example("client-secret"))
      return nil
    }
    if table["auth"] != nil { problem("auth", "belongs to client_secret, which is missing", "leave it out") }
    return .certificate
  }
}

/// The certificate for a server: `client_cert`, `client_key`.
extension Section {
  mutating func clientCertificate() -> ClientCertificate? {
    let certificate = credential("client_cert", file: "client.pem", form: .lines)
    let key = credential("client_key", file: "client.key", form: .lines)
    guard table["client_cert"] != nil else {
      if table["client_key"] != nil {
        problem("client_key", "belongs to client_cert, which is missing", "add client_cert, or leave it out")
      }
      return nil
    }
    // The fault has been reported.
    guard let certificate, table["client_key"] == nil || key != nil else { return nil }
    let found = ClientCertificate(certificate: certificate, key: key ?? certificate)
    if let fault = keyCheck.fault(of: found) {
      problem(fault.key, fault.words)
    }
    return found
  }
}
