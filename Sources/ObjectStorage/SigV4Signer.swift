import Crypto
package import HTTPTransfer
package import Jobs
import Synchronization

/// Signs requests with AWS Signature Version 4, in the `Authorization` header.
///
/// See "Authenticating Requests: Using the Authorization Header" in the S3 API reference. Time is a parameter. Only the
/// derived key, which is valid for a day, is used again in the next signature.
package struct SigV4Signer: Sendable {
  /// The region of the credential scope.
  let region: String
  /// The service of the credential scope.
  let service: String
  private let derived: DerivedKeys

  package init(region: String, service: String = "s3") {
    self.region = region
    self.service = service
    self.derived = DerivedKeys()
  }

  /// The headers to send with a request to S3: the given ones, hash and date, the session's token, `Authorization`.
  ///
  /// `host` is signed and not returned, because the transfer sends it itself. `User-Agent` is sent unsigned, since proxies may
  /// change it.
  package func headers(
    method: String, host: String, path: String, query: [(name: String, value: String)] = [], headers: [HTTPHeader],
    payloadHash: String, key: SigningKey, time: Timestamp
  ) -> [HTTPHeader] {
    var sent = headers
    sent.append(HTTPHeader("x-amz-content-sha256", payloadHash))
    let stamp = time.iso8601Basic
    sent.append(HTTPHeader("x-amz-date", stamp))
    if let token = key.sessionToken { sent.append(HTTPHeader("x-amz-security-token", token)) }
    let signed = sent.filter { !$0.isNamed("User-Agent") } + [HTTPHeader("host", host)]
    let canonical = CanonicalRequest(
      method: method, path: path, query: query, headers: signed, payloadHash: payloadHash)
    sent.append(HTTPHeader("Authorization", authorization(canonical, key: key, stamp: stamp)))
    return sent
  }

  /// The value of the `Authorization` header. `stamp` is the time in ISO 8601's basic form.
  func authorization(_ request: CanonicalRequest, key: SigningKey, stamp: String) -> String {
    let date = String(stamp.prefix(8))
    let scope = "\(date)/\(region)/\(service)/aws4_request"
    let signature = signature(request, secret: key.secret, stamp: stamp, date: date, scope: scope)
    return "AWS4-HMAC-SHA256 Credential=\(key.accessKey)/\(scope), SignedHeaders=\(request.signedHeaders), "
      + "Signature=\(signature)"
  }

  /// The signature alone, in hex.
  private func signature(
    _ request: CanonicalRequest, secret: String, stamp: String, date: String, scope: String
  ) -> String {
    let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n" + Hex.text(SHA256.hash(data: request.bytes))
    let signingKey = derived.key(secret: secret, date: date, region: region, service: service)
    return Hex.text(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: signingKey))
  }
}

/// The key derived from secret, date and scope; the last one is kept, since it stays the same for a whole day.
private final class DerivedKeys: Sendable {
  private struct Entry {
    var secret: String
    var date: String
    var key: SymmetricKey
  }

  private let last = Mutex<Entry?>(nil)

  /// Region and service never change for one signer, so the entry need not hold them.
  func key(secret: String, date: String, region: String, service: String) -> SymmetricKey {
    last.withLock { last in
      if let last, last.date == date, last.secret == secret { return last.key }
      var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
      for part in [date, region, service, "aws4_request"] {
        key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
      }
      last = Entry(secret: secret, date: date, key: key)
      return key
    }
  }
}
