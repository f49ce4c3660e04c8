import FoundationEssentials
import HTTPTypes

/// The signature in the query of a presigned URL, taken apart ("Authenticating Requests: Using Query Parameters" in the S3 API
/// reference).
struct SignedQuery: Sendable {
  let authorization: SignedAuthorization
  let stamp: String
  /// The seconds for which it is good.
  let expires: Int
  let token: String?

  /// Returns nil for a request without such a query.
  init?(_ request: HTTPRequest) throws(StorageError) {
    let values = try ObjectTarget(request.path ?? "/").signature
    guard let signature = values["X-Amz-Signature"] else { return nil }
    guard let credential = values["X-Amz-Credential"], let headers = values["X-Amz-SignedHeaders"],
      let stamp = values["X-Amz-Date"], let expires = values["X-Amz-Expires"].flatMap({ Int($0) })
    else { throw .wrongQuery("Query-string authentication version 4 requires all of its parameters.") }
    guard values["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256" else {
      throw .wrongQuery("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\".")
    }
    guard expires > 0 else { throw .wrongQuery("X-Amz-Expires must be non-negative.") }
    guard expires <= 604_800 else {
      throw .wrongQuery("X-Amz-Expires must be less than a week (in seconds) that is 604800.")
    }
    authorization = try SignedAuthorization(
      "AWS4-HMAC-SHA256 Credential=\(credential), SignedHeaders=\(headers), Signature=\(signature)")
    self.stamp = stamp
    self.expires = expires
    token = values["X-Amz-Security-Token"]
  }
}

extension SignatureCheck {
  /// Checks a request that is signed in its query.
  func verify(_ query: SignedQuery, _ request: HTTPRequest, now: Date) throws(StorageError) {
    guard query.authorization.accessKey == accessKey else {
      throw StorageError(403, "InvalidAccessKeyId", "The access key is not the one that the sandbox was started with.")
    }
    guard query.token == sessionToken else {
      throw StorageError(400, "InvalidToken", "The provided token is malformed or otherwise invalid.")
    }
    guard let begin = BasicTime.parse(query.stamp), query.stamp.hasPrefix(query.authorization.day) else {
      throw .wrongQuery("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\".")
    }
    guard begin.timeIntervalSince(now) <= Self.skew else {
      throw StorageError(403, "AccessDenied", "Request is not valid yet")
    }
    guard now.timeIntervalSince(begin) <= TimeInterval(query.expires) else {
      throw StorageError(403, "AccessDenied", "Request has expired", details: ["X-Amz-Expires": "\(query.expires)"])
    }
    var unsigned = request
    unsigned.path = request.path.map(Self.withoutSignature)
    let canonical = try CanonicalRequest(
      unsigned, signedHeaders: query.authorization.signedHeaders, payload: "UNSIGNED-PAYLOAD")
    try verify(canonical, query.authorization, stamp: query.stamp)
  }

  /// The target as it was signed.
  private static func withoutSignature(_ target: String) -> String {
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    let pairs = target[mark...].dropFirst().split(separator: "&").filter { !$0.hasPrefix("X-Amz-Signature=") }
    return "\(target[..<mark])?\(pairs.joined(separator: "&"))"
  }
}

extension StorageError {
  fileprivate static func wrongQuery(_ message: String) -> StorageError {
    StorageError(400, "AuthorizationQueryParametersError", message)
  }
}
