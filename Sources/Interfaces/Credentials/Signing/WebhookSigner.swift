import FoundationEssentials
package import HTTPTransfer
package import Jobs
import Messages
import OpenSSL

/// Signs requests as Standard Webhooks defines it (specification 1.0, "Signature scheme"): HMAC-SHA256 over `ID.TIMESTAMP.BODY`,
/// which a receiver's library verifies.
package struct WebhookSigner {
  /// The start of a code for each secret, which has hashed that secret already.
  private let codes: [HMACSHA256]

  /// Creates a signer from the secret in its usual form: `whsec_` and base64, or the base64 alone. Several secrets, separated by
  /// spaces, all sign the request while a secret is being replaced.
  /// - Throws: a fault that does not contain the secret.
  package init(secret: String) throws(KeyFault) {
    let fault = KeyFault(.signingSecretUnfit)
    var codes: [HMACSHA256] = []
    for text in secret.split(separator: " ") {
      let base64 = text.hasPrefix("whsec_") ? text.dropFirst("whsec_".count) : text
      guard let bytes = Data(base64Encoded: String(base64)), !bytes.isEmpty else { throw fault }
      codes.append(HMACSHA256(key: Array(bytes)))
    }
    guard !codes.isEmpty else { throw fault }
    self.codes = codes
  }

  /// Returns the headers of one attempt. The id is the same in all attempts of a message; the time is that of the attempt.
  package func headers(id: String, time: Timestamp, body: [UInt8]) -> [HTTPHeader] {
    let seconds = String(time.microseconds / 1_000_000)
    let content = Array("\(id).\(seconds).".utf8) + body
    let signatures = codes.map { "v1," + Data($0.code(for: content)).base64EncodedString() }
    return [
      HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", seconds),
      HTTPHeader("webhook-signature", signatures.joined(separator: " ")),
    ]
  }
}
