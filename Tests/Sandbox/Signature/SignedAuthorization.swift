/// The header `Authorization` of a request signed with AWS Signature Version 4, taken apart.
struct SignedAuthorization: Sendable, Equatable {
  var accessKey: String
  /// `20261121`.
  var day: String
  var region: String
  var service: String
  /// In the order in which the client signed them.
  var signedHeaders: [String]
  var signature: [UInt8]

  /// `20261121/us-east-1/s3/aws4_request`.
  var scope: String { "\(day)/\(region)/\(service)/aws4_request" }

  /// The header that has what the query of a presigned URL says ("Authenticating Requests: Using Query Parameters"); nil for another URL.
  static func header(for target: ObjectTarget) -> String? {
    guard let signature = target["X-Amz-Signature"] else { return nil }
    let parts = ["Credential": target["X-Amz-Credential"], "SignedHeaders": target["X-Amz-SignedHeaders"]]
    let words = parts.compactMap { name, value in value.map { "\(name)=\($0), " } }
    return "\(target["X-Amz-Algorithm"] ?? "") \(words.joined())Signature=\(signature)"
  }

  /// Takes a header's value apart.
  /// - Throws: `AuthorizationHeaderMalformed`, which names the missing part.
  init(_ value: String) throws(StorageError) {
    let scheme = "AWS4-HMAC-SHA256"
    guard value.hasPrefix(scheme + " ") else { throw .malformed("only \(scheme) is taken") }
    var parts: [String: Substring] = [:]
    for part in value.dropFirst(scheme.count).split(separator: ",") {
      let part = part.drop { $0 == " " }
      guard let equals = part.firstIndex(of: "=") else { throw .malformed("\"\(part)\" has no =") }
      parts[String(part[..<equals])] = part[part.index(after: equals)...]
    }
    guard let credential = parts["Credential"] else { throw .malformed("Credential is missing") }
    // An access key may contain slashes: the last four parts are the scope.
    let pieces = credential.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count >= 5, pieces.last == "aws4_request" else {
      throw .malformed("Credential should be KEY/DAY/REGION/s3/aws4_request")
    }
    service = pieces[pieces.count - 2]
    region = pieces[pieces.count - 3]
    day = pieces[pieces.count - 4]
    accessKey = pieces.dropLast(4).joined(separator: "/")
    guard service == "s3" else { throw .malformed("the service is \(service), not s3") }
    guard let headers = parts["SignedHeaders"] else { throw .malformed("SignedHeaders is missing") }
    signedHeaders = headers.split(separator: ";").map(String.init)
    guard let signature = parts["Signature"].flatMap({ PercentEncoding.bytes(hex: $0) }), signature.count == 32 else {
      throw .malformed("Signature is not 64 hex digits")
    }
    self.signature = signature
  }
}

extension StorageError {
  fileprivate static func malformed(_ why: String) -> StorageError {
    StorageError(400, "AuthorizationHeaderMalformed", "The authorization header is malformed: \(why).")
  }
}
