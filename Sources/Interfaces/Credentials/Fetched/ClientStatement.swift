import FoundationEssentials
import Jobs
import OpenSSL

/// A statement by which a client shows that it has a private key (RFC 7523, sections 2.2 and 3; RFC 7515).
struct ClientStatement {
  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  /// The time for which it is valid. The clocks of client and server may differ by as much.
  static let life: Duration = .seconds(120)

  let client: OAuthClient
  let signing: OAuthClient.Signing
  let now: Timestamp

  /// The texts that it is made from, read just now.
  struct Texts {
    var key: Secret
    var password: Secret?
    var certificate: Secret?
  }

  private struct Header: Encodable {
    var alg: String
    var kid: String?
    var typ = "JWT"
    var thumbprint: String?

    enum CodingKeys: String, CodingKey {
      case alg, kid, typ
      case thumbprint = "x5t#S256"
    }
  }

  private struct Claims: Encodable {
    var iss: String
    var sub: String
    var aud: String
    var jti: String
    var iat: Int64
    var exp: Int64
  }

  func signed(by texts: Texts) throws(FetchFailure) -> String {
    do throws(CertificateFault) {
      let key = try PrivateKey(pem: texts.key.bytes, password: texts.password?.bytes)
      guard let algorithm = signing.algorithm ?? key.algorithm else {
        throw .cannotSign("its kind is not known to JSON Web Signatures")
      }
      let parts = [
        Self.part(
          Header(alg: algorithm.rawValue, kid: signing.keyID, thumbprint: try thumbprint(texts.certificate, key))),
        Self.part(
          Claims(
            iss: client.clientID, sub: client.clientID, aud: signing.audience ?? client.url, jti: Self.identity(),
            iat: now.microseconds / 1_000_000, exp: (now + Self.life).microseconds / 1_000_000)),
      ].joined(separator: ".")
      return "\(parts).\(Self.base64(try key.signature(of: Array(parts.utf8), by: algorithm)))"
    } catch {
      throw FetchFailure("\(signing.key) \(error.words)", remedy: "see private_key of oauth")
    }
  }

  /// Returns the SHA-256 of the key's certificate. With the hash of another certificate, a server would say only that it does not
  /// know the client.
  private func thumbprint(_ text: Secret?, _ key: PrivateKey) throws(CertificateFault) -> String? {
    guard let text else { return nil }
    let certificate = try Certificate(pem: text.bytes)
    guard certificate.belongs(to: key), let thumbprint = certificate.thumbprint else {
      throw .cannotSign("private_key_cert is the certificate of another key")
    }
    return Self.base64(thumbprint)
  }

  /// Returns an id that no other statement has.
  private static func identity() -> String {
    var random = SystemRandomNumberGenerator()
    return base64((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  private static func part(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Texts and numbers can always be encoded.
    return base64(Array((try? encoder.encode(value)) ?? Data()))
  }

  /// Returns base64 for URLs, without padding (RFC 7515, section 2).
  private static func base64(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }
}
