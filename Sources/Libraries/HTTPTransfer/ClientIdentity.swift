/// The certificate and key that a server is shown when TLS begins.
///
/// It is an object so that requests can tell by its address whether they show the same one: a kept connection was made with
/// one identity, and libcurl uses it for no other.
public final class ClientIdentity: Sendable {
  /// The certificate, with those of its issuers behind it (PEM).
  let certificate: [UInt8]
  /// Its private key (PEM).
  let key: [UInt8]
  /// The password of an encrypted key; empty for one that is not.
  let password: String

  /// An identity from PEM texts that belong together.
  public init(certificate: [UInt8], key: [UInt8], password: String = "") {
    self.certificate = certificate
    self.key = key
    self.password = password
  }
}
