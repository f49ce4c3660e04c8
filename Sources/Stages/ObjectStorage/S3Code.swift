import Jobs
import XML

/// The codes of S3 that determine the kind of a failure ("Error responses: list of error codes" in the S3 API reference, and those that
/// Ceph, OpenStack Swift, MinIO, Alibaba OSS, Tencent COS and Huawei OBS add). For any other code, the HTTP status determines the kind.
enum S3Code {
  static let accessDenied = "AccessDenied"
  static let timeTooSkewed = Failure.clockCode
  static let signatureRefused = "SignatureDoesNotMatch"
  static let noSuchUpload = "NoSuchUpload"
  static let invalidRequest = "InvalidRequest"
  static let noSuchBucket = "NoSuchBucket"

  /// With a 503, these codes may mean that requests come too fast, rather than that the service is down ("Error responses" in the
  /// S3 API reference). R2 answers 429 with the second one.
  static let mayMeanThrottling: Set<String> = ["SlowDown", "ServiceUnavailable", "RequestLimitExceeded"]

  /// After one of these codes, an upload in parts cannot be completed any more ("CompleteMultipartUpload").
  static let endOfUpload: Set<String> = ["ConditionalRequestConflict", "InvalidPart"]

  /// The bytes that arrived do not have the hash that was signed or sent.
  static let hashRefusals: Set<String> = ["XAmzContentSHA256Mismatch", "BadDigest"]

  private static let credentials: Set<String> = [
    "InvalidAccessKeyId", signatureRefused, "ExpiredToken", "ExpiredTokenException", "InvalidToken",
    "InvalidTokenId", "TokenRefreshRequired",
  ]

  /// The bucket is answered only under its own host name: Alibaba OSS, Tencent COS, Huawei OBS.
  static let needsVirtualAddressing: Set<String> = [
    "SecondLevelDomainForbidden", "PathStyleDomainForbidden", "VirtualHostDomainRequired",
  ]

  private static let destination: Set<String> = needsVirtualAddressing.union([
    accessDenied, "AccountProblem", "AllAccessDisabled", "IllegalLocationConstraintException",
    "InvalidEncryptionAlgorithmError",
    "InvalidBucketName", "InvalidBucketState", "InvalidObjectState", "KMS.DisabledException",
    "KMS.InvalidKeyUsageException",
    "KMS.KMSInvalidStateException", "KMS.NotFoundException", noSuchBucket, "NotSignedUp",
    // A 301 is decided by its status; this is the code in a 4xx, or in a 200.
    "PermanentRedirect", "QuotaExceeded", "UserSuspended", timeTooSkewed,
    // The account is not paid for or switched off, or the bucket is full.
    "InArrearOrInsufficientBalance", "InsufficientStorageSpace", "UserDisable", "XMinioAdminBucketQuotaExceeded",
  ])

  /// Failures that may pass by themselves. An upload in parts that is gone is begun anew.
  private static let transient: Set<String> = [
    "ConditionalRequestConflict", "InvalidPart", noSuchUpload, "RequestTimeout",
  ]

  /// Returns the kind of failure for the code of a 4xx whose status alone means `rejected`; nil if that meaning stays.
  static func kind(_ code: String, status: Int, error: S3ErrorBody?) -> Failure.Kind? {
    switch code {
    case "AuthorizationHeaderMalformed":
      // This code concerns the region if the error names one, otherwise the key.
      isAboutRegion(error) ? .destination : .credentials
    case _ where credentials.contains(code) && (status == 403 || status == 400): .credentials
    case _ where destination.contains(code): .destination
    case _ where transient.contains(code) || hashRefusals.contains(code): .transient
    default: nil
    }
  }

  private static func isAboutRegion(_ error: S3ErrorBody?) -> Bool {
    guard let error else { return false }
    return error.region != nil || error.message?.lowercased().contains("region") == true
  }

  /// The HTTP status that corresponds to a code in the body of a 200.
  static func status(of code: String) -> Int {
    switch code {
    case "SlowDown", "ServiceUnavailable", "Busy": 503
    case "NotImplemented": 501
    case noSuchBucket, noSuchUpload: 404
    case "ConditionalRequestConflict", "OperationAborted": 409
    case "PreconditionFailed": 412
    case "EntityTooLarge", "EntityTooSmall", "InvalidPart", "InvalidPartOrder", "InvalidRequest", "MalformedXML",
      "RequestTimeout":
      400
    case timeTooSkewed: 403
    case _ where hashRefusals.contains(code): 400
    case _ where credentials.contains(code) || destination.contains(code): 403
    default: 500
    }
  }
}

/// The `<Error>` document of an S3 answer ("Error responses" in the S3 API reference).
struct S3ErrorBody: Hashable, Sendable {
  /// The error code, e.g. `NoSuchBucket`.
  var code: String
  var message: String?
  /// The region of the bucket, if the request was sent to another one.
  var region: String?
  /// The address to use, if the request was sent to another one.
  var endpoint: String?
  /// The server's time, if the request's time differs too much from it.
  var serverTime: String?
  /// The header that the server does not accept.
  var header: String?

  /// Reads the document; nil if it is not an error.
  /// - Parameter ofAnyRoot: true if the HTTP status already shows an error, so that the name of the root does not matter.
  init?(_ body: [UInt8], ofAnyRoot: Bool = false) {
    // A body that does not begin like XML need not be parsed.
    guard body.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "<"),
      let root = XMLElement.parse(Self.readable(body))
    else { return nil }
    // OpenStack and some gateways wrap the error element, as AWS's older services do.
    let isWrapped = root.name == "ErrorResponse" || ofAnyRoot
    let error = isWrapped ? root["Error"] ?? root : root
    guard error.name == "Error" || ofAnyRoot, let code = Self.text(error["Code"]) else { return nil }
    self.code = code
    message = Self.text(error["Message"])
    region = Self.text(error["Region"])
    endpoint = Self.text(error["Endpoint"])
    serverTime = Self.text(error["ServerTime"])
    header = Self.text(error["Header"]) ?? message.flatMap(Self.header(in:))
  }

  /// The document in a form that an XML parser accepts: a message may repeat a name that is not UTF-8.
  private static func readable(_ body: [UInt8]) -> [UInt8] {
    String(decoding: body, as: UTF8.self).utf8.map { $0 == 0 ? UInt8(ascii: "?") : $0 }
  }

  /// The header that an error text names: `Header 'x-amz-tagging' with value '…' not implemented` (Cloudflare R2), `Unsupported
  /// header 'x-amz-checksum-crc32' received` (Backblaze B2).
  private static func header(in message: String) -> String? {
    let words = message.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    guard message.lowercased().contains("header") else { return nil }
    return words.first { $0.lowercased().hasPrefix("x-amz-") || $0.lowercased() == "if-none-match" }.map(String.init)
  }

  private static func text(_ element: XMLElement?) -> String? {
    guard let element else { return nil }
    let words = element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.isEmpty ? nil : words
  }
}
