import Credentials
import OpenSSL

/// The certificate for a server: `client_cert`, `client_key`, `client_key_password`.
extension Section {
  mutating func clientCertificate(check: CredentialCheck) -> ClientCertificate? {
    let certificate = pem("client_cert", check: check)
    let key = pem("client_key", check: check)
    let password = credential(
      "client_key_password", example: "{ file = \"/etc/waybill/keys/client-key-password\" }", check: check)
    if table["client_cert"] == nil {
      for key in ["client_key", "client_key_password"] where table[key] != nil {
        problem(key, "belongs to client_cert, which is missing", "add client_cert, or leave it out")
      }
      return nil
    }
    // The fault has been reported.
    guard let certificate, table["client_key"] == nil || key != nil,
      table["client_key_password"] == nil || password != nil
    else { return nil }
    let found = ClientCertificate(certificate: certificate, key: key ?? certificate, password: password)
    if let (name, words) = check.fault(of: found) {
      problem(table[name] == nil ? "client_cert" : name, words.words, words.remedy)
    }
    return found
  }

  /// Returns a PEM file by its path, or a credential.
  mutating func pem(_ key: String, check: CredentialCheck) -> CredentialSource? {
    let example = "\"/etc/waybill/keys/\(key).pem\""
    guard case .string(let text)? = table[key]?.value else {
      return credential(key, example: "{ file = \(example) }", form: .lines, check: check)
    }
    // The text of a key is never shown, even if somebody wrote it into the configuration.
    guard text.hasPrefix("/") else {
      _ = node(key)
      problem(
        key,
        text.contains("-----BEGIN")
          ? "is a PEM text, but a secret must not be in the configuration"
          : "is not an absolute path", "name a file: \(key) = \(example)")
      return nil
    }
    guard let path = path(key, example: example) else { return nil }
    let source = CredentialSource.file(path)
    if let fault = check.fault(source, .lines) {
      problem(key, fault.words, fault.remedy, mayPass: fault.mayPass)
      return nil
    }
    return source
  }
}

extension CredentialCheck {
  /// Returns the key and the reason why a certificate that can be read cannot be used, or nil if it can. An expired certificate
  /// is no fault: the daemon can start with it, and its jobs wait.
  func fault(of certificate: ClientCertificate) -> (key: String, (words: String, remedy: String))? {
    guard reads else { return nil }
    let texts: (certificate: Secret, key: Secret, password: Secret?)
    do throws(CredentialError) {
      texts = (
        try text(certificate.certificate, .lines), try text(certificate.key, .lines),
        try certificate.password.map { source throws(CredentialError) in try text(source, .line) }
      )
    } catch {
      return nil  // reported already
    }
    let leaf: Certificate
    do throws(CertificateFault) {
      leaf = try Certificate(pem: texts.certificate.bytes)
    } catch {
      return (
        "client_cert", ("\(certificate.certificate) \(error.words)", "name a PEM file with the certificate first")
      )
    }
    do throws(CertificateFault) {
      let key = try PrivateKey(pem: texts.key.bytes, password: texts.password?.bytes)
      guard leaf.belongs(to: key) else {
        return (
          "client_key",
          (
            "\(certificate.key) does not have the key of the certificate in \(certificate.certificate)",
            "name the key that the certificate was issued for; the certificate stands before those of its issuers"
          )
        )
      }
      return nil
    } catch {
      let remedy =
        switch error {
        case .needsPassword: "name its password by client_key_password"
        case .wrongPassword: "see client_key_password"
        default: "name a PEM file with the private key"
        }
      return ("client_key", ("\(certificate.key) \(error.words)", remedy))
    }
  }

  private func text(_ source: CredentialSource, _ form: Secret.Form) throws(CredentialError) -> Secret {
    try CredentialReader(source, form: form, environment: environment).read()
  }
}
