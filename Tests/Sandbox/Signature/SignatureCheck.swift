import FoundationEssentials
import HTTPTypes
import OpenSSL

/// Decides whether a request was signed with the key that the sandbox knows.
///
/// It shares no code with the signer of the daemon. It starts from the bytes that came, so a fault of the signer shows.
struct SignatureCheck: Sendable {
  /// The client's statement about the body.
  enum Payload: Sendable, Equatable {
    /// The SHA-256 of the body, in lower-case hex.
    case sha256(String)
    /// `UNSIGNED-PAYLOAD`: no statement.
    case unsigned
  }

  /// The maximum difference of the client's clock, as at AWS.
  static let skew: TimeInterval = 15 * 60

  let accessKey: String
  let secretKey: String
  /// The token of the session that the key belongs to; nil for a permanent key.
  let sessionToken: String?

  /// Checks a request's head.
  ///
  /// - Returns: the client's statement about the body, which the body has to match.
  /// - Throws: the error that S3 answers with: AccessDenied, InvalidAccessKeyId, RequestTimeTooSkewed, SignatureDoesNotMatch …
  func verify(_ request: HTTPRequest, now: Date) throws(StorageError) -> Payload {
    let headers = CanonicalRequest.headers(of: request)
    guard let value = headers["authorization"]?.first else {
      throw StorageError(403, "AccessDenied", "The request is not signed: it has no Authorization header.")
    }
    let authorization = try SignedAuthorization(value)
    guard authorization.accessKey == accessKey else {
      throw StorageError(403, "InvalidAccessKeyId", "The access key is not the one that the sandbox was started with.")
    }
    guard headers["x-amz-security-token"]?.first == sessionToken else {
      throw StorageError(400, "InvalidToken", "The provided token is malformed or otherwise invalid.")
    }
    let stamp = try time(headers["x-amz-date"], day: authorization.day, now: now)
    let (payload, hash) = try payload(headers["x-amz-content-sha256"])
    for name in headers.keys where name == "host" || name.hasPrefix("x-amz-") {
      guard authorization.signedHeaders.contains(name) else {
        throw StorageError(403, "AccessDenied", "There were headers present which were not signed: \(name).")
      }
    }
    let canonical = try CanonicalRequest(request, signedHeaders: authorization.signedHeaders, payload: hash)
    let digest = PercentEncoding.hex(SHA256.hash(data: Array(canonical.text.utf8)))
    let toSign = "AWS4-HMAC-SHA256\n\(stamp)\n\(authorization.scope)\n\(digest)"
    guard code(for: authorization).code(for: Array(toSign.utf8)).elementsEqual(authorization.signature) else {
      throw StorageError(
        403, "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided.",
        details: ["StringToSign": toSign, "CanonicalRequest": canonical.text])
    }
    return payload
  }

  private func code(for authorization: SignedAuthorization) -> HMACSHA256 {
    var code = HMACSHA256(key: Array(("AWS4" + secretKey).utf8))
    for part in [authorization.day, authorization.region, authorization.service, "aws4_request"] {
      code = HMACSHA256(key: Array(code.code(for: Array(part.utf8))))
    }
    return code
  }

  private func time(_ values: [String]?, day: String, now: Date) throws(StorageError) -> String {
    guard let text = values?.first, let date = BasicTime.parse(text) else {
      throw StorageError(403, "AccessDenied", "A signed request needs a valid x-amz-date, such as 20261121T010203Z.")
    }
    guard text.hasPrefix(day) else {
      throw StorageError(403, "SignatureDoesNotMatch", "The day in Credential is not the day of x-amz-date.")
    }
    guard abs(date.timeIntervalSince(now)) <= Self.skew else {
      throw StorageError(
        403, "RequestTimeTooSkewed", "The difference between the request time and the server's time is too large.",
        details: [
          "RequestTime": text, "ServerTime": BasicTime.extended(now),
          "MaxAllowedSkewMilliseconds": String(Int(Self.skew * 1000)),
        ])
    }
    return text
  }

  private func payload(_ values: [String]?) throws(StorageError) -> (Payload, String) {
    guard let value = values?.first else {
      throw StorageError(400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
    }
    if value == "UNSIGNED-PAYLOAD" { return (.unsigned, value) }
    if value.hasPrefix("STREAMING-") {
      throw StorageError(501, "NotImplemented", "The sandbox takes no body in chunks.")
    }
    guard value.utf8.count == 64, PercentEncoding.bytes(hex: value) != nil else {
      throw StorageError(400, "InvalidArgument", "x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a SHA-256 in hex.")
    }
    return (.sha256(value.lowercased()), value)
  }
}
