extension LiveCertificate {
  /// The credentials that it is read from.
  package var credentials: [NamedCredential] {
    [
      NamedCredential(key: "client_cert", reader: certificate),
      key === certificate ? nil : NamedCredential(key: "client_key", reader: key),
      password.map { NamedCredential(key: "client_key_password", reader: $0) },
    ].compactMap(\.self)
  }
}
