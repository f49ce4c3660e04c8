/// A client of an OAuth 2 token endpoint that gets tokens for itself (RFC 6749, section 4.4: client credentials).
public struct OAuthClient: Hashable, Sendable {
  /// The way in which the client authenticates.
  public enum Proof: Hashable, Sendable {
    /// Id and secret in the header `Authorization` (`client_secret_basic`; RFC 6749, section 2.3.1).
    case basic(CredentialSource)
    /// Id and secret in the form (`client_secret_post`).
    case post(CredentialSource)
    /// The certificate that the server gets when TLS begins (`tls_client_auth`; RFC 8705, section 2).
    case certificate
  }

  /// The URL of the token endpoint.
  public var url: String
  var clientID: String
  /// The way in which it shows who it is.
  public var proof: Proof
  /// The scope to ask for, with spaces between its parts; nil for the server's default.
  public var scope: String?
  /// The server that the token is for, if the token endpoint needs it; nil for none.
  public var audience: String?
  /// The certificate for the token endpoint; nil for none.
  public var clientCertificate: ClientCertificate?
  /// The file of a private CA (PEM) for the token endpoint, or nil for the system's.
  var caFile: String?

  /// Creates a client from its settings.
  public init(
    url: String, clientID: String, proof: Proof, scope: String? = nil, audience: String? = nil,
    clientCertificate: ClientCertificate? = nil, caFile: String? = nil
  ) {
    self.url = url
    self.clientID = clientID
    self.proof = proof
    self.scope = scope
    self.audience = audience
    self.clientCertificate = clientCertificate
    self.caFile = caFile
  }

  /// The URL without a query, which may hold a secret.
  public var place: String { String(url.prefix { $0 != "?" }) }

  /// The sources of its own secrets.
  public var secrets: [CredentialSource] {
    let own: [CredentialSource] =
      switch proof {
      case .basic(let secret), .post(let secret): [secret]
      case .certificate: []
      }
    return own + [clientCertificate?.key].compactMap(\.self)
  }
}
