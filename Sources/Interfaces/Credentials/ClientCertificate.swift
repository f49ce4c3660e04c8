/// The certificate that a server gets when TLS begins, and the key that belongs to it.
public struct ClientCertificate: Hashable, Sendable {
  /// The source of the certificate, with those of its issuers behind it (PEM).
  public var certificate: CredentialSource
  /// The source of the private key (PEM). It may be the certificate's.
  public var key: CredentialSource
  /// The source of the password that decrypts the key; nil for a key that is not encrypted.
  public var password: CredentialSource?

  /// Creates a certificate from its sources.
  public init(certificate: CredentialSource, key: CredentialSource, password: CredentialSource? = nil) {
    self.certificate = certificate
    self.key = key
    self.password = password
  }

  /// The sources that are secret.
  public var secrets: [CredentialSource] { [key, password].compactMap(\.self) }
}
