import Jobs

/// The codes of S3 that decide what a failure leads to ("Error responses: list of error codes" in the S3 API reference,
/// and those that Ceph and OpenStack Swift add). Any other leaves it to the status.
enum S3Code {
  static let timeTooSkewed = "RequestTimeTooSkewed"

  /// The body that came has not the hash that was signed or sent.
  static let hashRefusals: Set<String> = ["XAmzContentSHA256Mismatch", "BadDigest"]

  private static let credentials: Set<String> = [
    "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "ExpiredTokenException", "InvalidToken",
    "InvalidTokenId", "TokenRefreshRequired",
  ]

  private static let destination: Set<String> = [
    "AccessDenied", "AccountProblem", "AllAccessDisabled", "IllegalLocationConstraintException",
    "InvalidBucketName", "InvalidBucketState", "InvalidObjectState", "NoSuchBucket", "NotSignedUp",
    "PermanentRedirect", "QuotaExceeded", "UserSuspended", timeTooSkewed,
  ]

  /// May pass by itself: the body came too slowly; another request with the same condition is being worked on.
  private static let transient: Set<String> = ["ConditionalRequestConflict", "RequestTimeout"]

  /// The kind that the code of a 4xx asks for, nil where the status decides.
  static func kind(_ code: String, status: Int, error: S3ErrorBody?) -> Failure.Kind? {
    switch code {
    case "AuthorizationHeaderMalformed":
      // Of the region if it is named, else of the key.
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

  /// The status that goes with a code which came in the body of a 200.
  static func status(of code: String) -> Int {
    switch code {
    case "SlowDown", "ServiceUnavailable", "Busy": 503
    case "NotImplemented": 501
    case "NoSuchBucket": 404
    case "ConditionalRequestConflict", "OperationAborted": 409
    case "PreconditionFailed": 412
    case "RequestTimeout": 400
    case _ where hashRefusals.contains(code): 400
    case _ where credentials.contains(code) || destination.contains(code): 403
    default: 500
    }
  }
}
