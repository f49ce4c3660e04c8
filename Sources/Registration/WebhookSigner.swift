import Crypto
import FoundationEssentials
package import HTTPTransfer
package import Jobs

/// Signs requests in the way of Standard Webhooks (specification 1.0, "Signature scheme"): HMAC-SHA256 over
/// `ID.TIMESTAMP.BODY`, which a receiver's library verifies.
package struct WebhookSigner {
  private let keys: [SymmetricKey]

  /// Takes the secret as it is given out: `whsec_` and base64, or the base64 alone. Several secrets, separated by spaces, all
  /// sign the request while a secret is being replaced.
  /// - Throws: ``WebhookSecretError``.
  package init(secret: String) throws(WebhookSecretError) {
    var keys: [SymmetricKey] = []
    for text in secret.split(separator: " ") {
      let base64 = text.hasPrefix("whsec_") ? text.dropFirst("whsec_".count) : text
      guard let bytes = Data(base64Encoded: String(base64)), !bytes.isEmpty else { throw WebhookSecretError() }
      keys.append(SymmetricKey(data: bytes))
    }
    guard !keys.isEmpty else { throw WebhookSecretError() }
    self.keys = keys
  }

  /// The headers of one attempt. The id stays the same in all attempts of a message; the time is that of this one.
  package func headers(id: String, time: Timestamp, body: [UInt8]) -> [HTTPHeader] {
    let seconds = String(time.microseconds / 1_000_000)
    let content = Array("\(id).\(seconds).".utf8) + body
    let signatures = keys.map { key in
      "v1," + Data(HMAC<SHA256>.authenticationCode(for: content, using: key)).base64EncodedString()
    }
    return [
      HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", seconds),
      HTTPHeader("webhook-signature", signatures.joined(separator: " ")),
    ]
  }
}

/// A text that is not a signing secret. The error does not hold that text.
package struct WebhookSecretError: Error, CustomStringConvertible {
  package let description =
    "the signing secret is not base64 (with or without whsec_ before it), as Standard Webhooks needs"
}
