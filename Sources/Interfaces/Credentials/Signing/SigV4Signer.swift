package import HTTPTransfer
package import Jobs
import Messages
import OpenSSL

/// Signs requests with AWS Signature Version 4, in the `Authorization` header.
///
/// See "Authenticating Requests: Using the Authorization Header" in the S3 API reference. Time is a parameter. Only the derived
/// key, which is valid for a day, is kept for the next signature.
package struct SigV4Signer: Sendable {
  let region: String
  let service: String
  /// The start of each authentication code, which has hashed the derived key already.
  private let codes = LastValue<DatedSecret, HMACSHA256>()
  /// The text of a second, in which many requests are signed.
  private let stamps = LastValue<Int64, String>()

  package init(region: String, service: String = "s3") {
    self.region = region
    self.service = service
  }

  /// Returns the headers to send with a request to S3: the given ones, hash and date, the session's token, `Authorization`.
  ///
  /// Values are sent in the form in which they are signed: some servers hash a value without reducing its blanks first, as Garage up to 2.3
  /// (`src/api/common/signature/payload.rs`).
  ///
  /// `host` is signed and not returned, because the transfer sends it itself. `User-Agent` is sent unsigned, because proxies may
  /// change it. `Authorization` comes last.
  package func headers(
    method: String, host: String, path: Substring, query: [(name: String, value: String)] = [],
    headers: [HTTPHeader], payloadHash: String, key: SigningKey, time: Timestamp
  ) -> [HTTPHeader] {
    // Rounded down, as the text is, before 1970 too.
    let second = time.microseconds / 1_000_000 - (time.microseconds % 1_000_000 < 0 ? 1 : 0)
    let stamp = stamps.value(for: second) { time.iso8601Basic }
    var sent: [HTTPHeader] = []
    sent.reserveCapacity(headers.count + 6)
    for header in headers where !header.isNamed("User-Agent") {
      sent.append(HTTPHeader(header.name, CanonicalRequest.collapsed(header.value)))
    }
    sent.append(HTTPHeader("x-amz-content-sha256", payloadHash))
    sent.append(HTTPHeader("x-amz-date", stamp))
    if let token = key.sessionToken {
      sent.append(HTTPHeader("x-amz-security-token", CanonicalRequest.collapsed(token)))
    }
    sent.append(HTTPHeader("host", host))
    let canonical = CanonicalRequest(
      method: method, path: path, query: query, headers: sent, payloadHash: payloadHash)
    sent.removeLast()
    for header in headers where header.isNamed("User-Agent") { sent.append(header) }
    sent.append(HTTPHeader("Authorization", authorization(canonical, key: key, stamp: stamp)))
    return sent
  }

  /// Returns the value of the `Authorization` header. `stamp` is the time in ISO 8601's basic form.
  func authorization(_ request: CanonicalRequest, key: SigningKey, stamp: String) -> String {
    let date = String(stamp.prefix(8))
    let algorithm = "AWS4-HMAC-SHA256"
    // One buffer for the text to sign and then for the header.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    bytes += algorithm.utf8
    bytes.append(Self.lineFeed)
    bytes += stamp.utf8
    bytes.append(Self.lineFeed)
    appendScope(date, to: &bytes)
    bytes.append(Self.lineFeed)
    for byte in SHA256.hash(data: request.bytes) { Hex.append(byte, to: &bytes) }
    var code = code(for: DatedSecret(secret: key.secret, date: date))
    code.update(data: bytes)

    bytes.removeAll(keepingCapacity: true)
    bytes += algorithm.utf8
    bytes += " Credential=".utf8
    bytes += key.accessKey.utf8
    bytes.append(UInt8(ascii: "/"))
    appendScope(date, to: &bytes)
    bytes += ", SignedHeaders=".utf8
    bytes += request.signedHeaders
    bytes += ", Signature=".utf8
    for byte in code.finalize() { Hex.append(byte, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Appends the credential scope, with slashes between its parts.
  private func appendScope(_ date: String, to bytes: inout [UInt8]) {
    bytes += date.utf8
    bytes.append(UInt8(ascii: "/"))
    bytes += region.utf8
    bytes.append(UInt8(ascii: "/"))
    bytes += service.utf8
    bytes += "/aws4_request".utf8
  }

  /// A key is derived from secret, date and scope, and stays the same for a whole day.
  private struct DatedSecret: Equatable {
    var secret: String
    var date: String
  }

  private func code(for key: DatedSecret) -> HMACSHA256 {
    codes.value(for: key) {
      var code = HMACSHA256(key: Array("AWS4\(key.secret)".utf8))
      for part in [key.date, region, service, "aws4_request"] {
        code = HMACSHA256(key: Array(code.code(for: Array(part.utf8))))
      }
      return code
    }
  }
}
