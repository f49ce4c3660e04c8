import Certificates
import Credentials
import FoundationEssentials
import Jobs

/// A statement by which a client shows that it has a private key (RFC 7523, sections 2.2 and 3; RFC 7515).
struct ClientStatement {
  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  /// The time for which it counts. Its clock and the server's may differ by as much.
  static let life: Duration = .seconds(120)

  let client: OAuthClient
  let keyID: String?
  let now: Timestamp

  private struct Header: Encodable {
    var alg: String
    var kid: String?
    var typ = "JWT"
  }

  private struct Claims: Encodable {
    var iss: String
    var sub: String
    var aud: String
    var jti: String
    var iat: Int64
    var exp: Int64
  }

  func signed(by secret: Secret, _ password: Secret?) throws(FetchFailure) -> String {
    let place = client.secrets.first.map { "\($0)" } ?? "private_key"
    do throws(CertificateFault) {
      let key = try PrivateKey(pem: secret.bytes, password: password?.bytes)
      guard let algorithm = key.algorithm else { throw .cannotSign("its kind is not known to JSON Web Signatures") }
      let parts = [
        Self.part(Header(alg: algorithm.rawValue, kid: keyID)),
        Self.part(
          Claims(
            iss: client.clientID, sub: client.clientID, aud: client.url, jti: Self.identity(),
            iat: now.microseconds / 1_000_000, exp: (now + Self.life).microseconds / 1_000_000)),
      ].joined(separator: ".")
      return "\(parts).\(Self.base64(try key.signature(of: Array(parts.utf8))))"
    } catch {
      throw FetchFailure("\(place) \(error.words)", remedy: "see private_key of oauth")
    }
  }

  /// An id that no other statement has.
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

  /// Base64 for URLs, without padding (RFC 7515, section 2).
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
