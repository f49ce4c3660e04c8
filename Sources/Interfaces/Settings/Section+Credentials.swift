import Credentials

/// Credentials: a table with one key that names the source of the value. The values themselves are never shown, even if somebody
/// wrote one into the configuration.
extension Section {
  static let credentialForms = "{ file = \"/path\" }, { credential = \"NAME\" } or { env = \"NAME\" }"

  mutating func requiredCredential(
    _ key: String, example: String, profile: Bool = false, check: CredentialCheck
  ) -> CredentialSource? {
    if !has(key) { missing(key, example: example) }
    return credential(key, example: example, profile: profile, check: check)
  }

  /// - Parameters:
  ///   - profile: true if it may be a source of all keys of a storage together, as an AWS profile is.
  ///   - oauth: true if it may be a token from an OAuth 2 server.
  mutating func credential(
    _ key: String, example: String, profile: Bool = false, oauth: Bool = false, form: Secret.Form = .line,
    check: CredentialCheck
  ) -> CredentialSource? {
    guard let node = node(key) else { return nil }
    guard case .table(let table) = node.value else {
      if let variable = node.variable {
        // The secret itself is in the variable, and is read from there, as with { env = … }.
        let place = Node(value: .string(variable.name), line: nil)
        return credential(key, ["env": place], line: nil, profile: profile, form: form, check: check)
      }
      problem(
        key, "is \(node.shownType), but a secret must not be in the configuration",
        "put it into a file and write \(key) = \(example)")
      return nil
    }
    return credential(key, table, line: node.line, profile: profile, oauth: oauth, form: form, check: check)
  }

  /// Returns the credential of a table; nil if a problem was reported.
  func credential(
    _ key: String, _ table: [String: Node], line: Int?, profile isProfileAllowed: Bool = false,
    oauth isOAuthAllowed: Bool = false, form: Secret.Form = .line, check: CredentialCheck
  ) -> CredentialSource? {
    let place = self.table[key]?.variable == nil ? self.file : EnvironmentSettings.file
    var inner = Section(file: place, path: keyPath(key), line: line, table: table, problems: problems)
    let file = inner.path("file", example: "\"/etc/waybill/keys/\(key)\"")
    let credential = inner.credentialName("credential")
    let variable = inner.variableName("env")
    let profile = inner.text("aws_profile", example: "\"default\"")
    let chain = inner.text("aws", example: "\"default\"")
    let client = isOAuthAllowed ? inner.oauth("oauth", check: check) : nil
    if !isOAuthAllowed, table["oauth"] != nil {
      _ = inner.node("oauth")
      inner.problem("oauth", "cannot be used here", "write one of \(Self.credentialForms)")
      return nil
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
    if let variable { check.settings.use(asSecret: variable) }
    if source.givesAllKeys, !isProfileAllowed {
      inner.problem(
        chain == nil ? "aws_profile" : "aws", "cannot be used here", "write one of \(Self.credentialForms)")
      return nil
    }
    if let fault = check.fault(source, form) {
      problem(key, fault.words, fault.remedy, line: line, mayPass: fault.mayPass)
      return nil
    }
    return source
  }

  private mutating func credentialName(_ key: String) -> String? {
    guard let name = optionalText(key, example: "\"s3-access-key\"") else { return nil }
    guard !name.contains("/"), name != ".", name != "..", name.utf8.count <= 255 else {
      problem(key, "\(Quoted(name)) is not a valid credential name", "use the NAME of LoadCredential=NAME:/path")
      return nil
    }
    return name
  }

  private mutating func variableName(_ key: String) -> String? {
    guard let name = optionalText(key, example: "\"S3_ACCESS_KEY\"") else { return nil }
    guard !name.contains("="), name.utf8.count <= 255 else {
      problem(key, "\(Quoted(name)) is not a valid environment variable name")
      return nil
    }
    return name
  }
}
