import FoundationEssentials
import HTTPTypes
import OpenSSL

/// Decides whether a request was signed with the key that the sandbox knows.
///
/// It shares no code with the signer of the daemon. It starts from the bytes that came, so a fault of the signer shows.
struct SignatureCheck: Sendable {
  enum Payload: Sendable, Equatable {
    /// The SHA-256 of the body, in lower-case hex.
    case sha256(String)
    /// `UNSIGNED-PAYLOAD`: no statement.
    case unsigned
  }

  /// The maximum difference of the client's clock, as at AWS.
  static let skew: TimeInterval = 15 * 60
  private static let unsigned = "UNSIGNED-PAYLOAD"

  let accessKey: String
  let secretKey: String
  /// The token of the session that the key belongs to; nil for a permanent key.
  let sessionToken: String?

  /// Checks a request's head.
  /// - Returns: the client's statement about the body, which the body has to match.
  /// - Throws: the error that S3 answers with: AccessDenied, InvalidAccessKeyId, RequestTimeTooSkewed, SignatureDoesNotMatch …
  func verify(_ request: HTTPRequest, now: Date) throws(StorageError) -> Payload {
    var headers = CanonicalRequest.headers(of: request)
    let target = try ObjectTarget(request.path ?? "/")
    let presigned = SignedAuthorization.header(for: target)
    guard let value = presigned ?? headers["authorization"]?.first else {
      throw StorageError(403, "AccessDenied", "The request is not signed: it has no Authorization header.")
    }
    let authorization = try SignedAuthorization(value)
    guard authorization.accessKey == accessKey else {
      throw StorageError(403, "InvalidAccessKeyId", "The access key is not the one that the sandbox was started with.")
    }
    let told = presigned == nil ? headers["x-amz-security-token"]?.first : target["X-Amz-Security-Token"]
    guard told == sessionToken else {
      throw StorageError(400, "InvalidToken", "The provided token is malformed or otherwise invalid.")
    }
    let stamp: String
    if presigned == nil {
      stamp = try time(headers["x-amz-date"], day: authorization.day, now: now)
    } else {
      stamp = try presigningTime(target, now: now)
      headers["x-amz-content-sha256"] = headers["x-amz-content-sha256"] ?? [Self.unsigned]
    }
    let (payload, hash) = try payload(headers["x-amz-content-sha256"])
    for name in headers.keys where name == "host" || name.hasPrefix("x-amz-") && request.headerFields[name] != nil {
      guard authorization.signedHeaders.contains(name) else {
        throw StorageError(403, "AccessDenied", "There were headers present which were not signed: \(name).")
      }
    }
    let canonical = try CanonicalRequest(request, signedHeaders: authorization.signedHeaders, payload: hash)
    let toSign = Self.toSign(canonical, stamp, scope: authorization.scope)
    guard signature(of: toSign, scope: authorization.scope).elementsEqual(authorization.signature) else {
      throw StorageError(
        403, "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided.",
        details: ["StringToSign": toSign, "CanonicalRequest": canonical.text])
    }
    return payload
  }

  /// A URL that whoever has it may use for so many seconds, with these headers.
  /// - Parameter path: encoded.
  func presigned(
    _ method: HTTPRequest.Method, host: String, path: String, query: [(String, String)] = [],
    headers: [String: String] = [:], seconds: Int, now: Date
  ) throws(StorageError) -> String {
    let stamp = BasicTime.basic(now)
    let scope = "\(stamp.prefix(8))/us-east-1/s3/aws4_request"
    let signed = (headers.keys + ["host"]).sorted()
    let about = [
      ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", accessKey + "/" + scope), ("X-Amz-Date", stamp),
      ("X-Amz-Expires", String(seconds)), ("X-Amz-SignedHeaders", signed.joined(separator: ";")),
    ]
    let pairs = query + about + (sessionToken.map { [("X-Amz-Security-Token", $0)] } ?? [])
    let target = path + "?" + pairs.map { $0 + "=" + PercentEncoding.encode($1.utf8) }.joined(separator: "&")
    let request = HTTPRequest(
      method: method, scheme: "http", authority: host, path: target, headerFields: HTTPFields(headers))
    let canonical = try CanonicalRequest(request, signedHeaders: signed, payload: Self.unsigned)
    let signature = signature(of: Self.toSign(canonical, stamp, scope: scope), scope: scope)
    return "http://\(host)\(target)&X-Amz-Signature=\(PercentEncoding.hex(signature))"
  }

  private static func toSign(_ canonical: CanonicalRequest, _ stamp: String, scope: String) -> String {
    let digest = PercentEncoding.hex(SHA256.hash(data: Array(canonical.text.utf8)))
    return "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(digest)"
  }

  private func signature(of text: String, scope: String) -> [UInt8] {
    var key = Array(("AWS4" + secretKey).utf8)
    for part in scope.split(separator: "/") { key = Array(HMACSHA256(key: key).code(for: Array(part.utf8))) }
    return Array(HMACSHA256(key: key).code(for: Array(text.utf8)))
  }

  private func presigningTime(_ target: ObjectTarget, now: Date) throws(StorageError) -> String {
    guard let text = target["X-Amz-Date"], let date = BasicTime.parse(text),
      let seconds = target["X-Amz-Expires"].flatMap({ Int($0) }), (1...604_800).contains(seconds)
    else {
      throw StorageError(
        400, "AuthorizationQueryParametersError", "X-Amz-Date or X-Amz-Expires is missing or malformed.")
    }
    if now.timeIntervalSince(date) < -Self.skew { throw StorageError(403, "AccessDenied", "Request is not yet valid") }
    if now.timeIntervalSince(date) > Double(seconds) {
      throw StorageError(
        403, "AccessDenied", "Request has expired",
        details: ["X-Amz-Expires": String(seconds), "ServerTime": BasicTime.extended(now)])
    }
    return text
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
    if value == Self.unsigned { return (.unsigned, value) }
    if value.hasPrefix("STREAMING-") {
      throw StorageError(501, "NotImplemented", "The sandbox takes no body in chunks.")
    }
    guard value.utf8.count == 64, PercentEncoding.bytes(hex: value) != nil else {
      throw StorageError(400, "InvalidArgument", "x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a SHA-256 in hex.")
    }
    return (.sha256(value.lowercased()), value)
  }
}
