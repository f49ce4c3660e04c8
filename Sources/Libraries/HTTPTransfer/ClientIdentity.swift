/// A client certificate and its key, for TLS.
///
/// It is an object, so that requests with the same identity can be recognized by reference: a kept connection was made with one
/// identity, and libcurl uses it for no other.
public final class ClientIdentity: Sendable {
  /// The certificate, followed by those of its issuers (PEM).
  let certificate: [UInt8]
  /// Its private key (PEM).
  let key: [UInt8]

  /// An identity from PEM texts that belong together.
  public init(certificate: [UInt8], key: [UInt8]) {
    self.certificate = certificate
    self.key = key
  }
}
