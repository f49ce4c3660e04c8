import Credentials
import HTTPTransfer
import Jobs
import Settings
import Testing

@testable import ObjectStorage

@Suite struct RefusalTests {
  private static let now = Timestamp(year: 2026, month: 11, day: 21, hour: 1, minute: 2, second: 3)

  private func failure(
    _ status: Int, _ body: String = "", headers: [String: String] = [:], keyNote: String? = nil,
    checksum: ChecksumAlgorithm = .sha256, isRepeated: Bool = false,
    _ change: (inout S3Refusal.Context) -> Void = { _ in }
  ) throws -> Failure {
    let response = HTTPResponse(
      status: status, headers: HTTPHeaders(headers.map { HTTPHeader($0.key, $0.value) }), body: Array(body.utf8),
      wasRepeated: isRepeated)
    let put = S3Bucket.Exchange(
      method: "PUT", place: ObjectAddress(bucket: "docs"), isConditional: true, answer: .stored(bytes: 0))
    var context = S3Refusal.Context(
      exchange: put, settings: StorageSettings("http://h") { $0.checksum = checksum }, now: Self.now, keyNote: keyNote)
    change(&context)
    try #require(!S3Refusal.isSuccess(response, put.answer))
    return S3Refusal(response, context).failure
  }

  @Test func neverEchoesRequestSecrets() throws {
    let key = SigningKey(accessKey: "AKIA7", secret: "wJalrXUtnFEMI/K7MDENG", sessionToken: "IQoJb3JpZ2luX2VjEJr=")
    let token = try #require(key.sessionToken)
    for place in [0, 285, 1990, 2030] {
      let far = String(repeating: "-", count: place)
      for body in [
        "<Error><Code>\(token)</Code><Message>\(far)\(token) \(key.secret)</Message><Region>\(token)</Region></Error>",
        "<Error><Code>X</Code><Endpoint>\(far)\(token)</Endpoint><ServerTime>\(token)</ServerTime></Error>",
        "<html><title>\(far)\(token)</title>\(far)\(key.secret)", "\(far)\(token)",
      ] {
        let headers = [
          "Location": "https://there/\(far)\(token)", "x-amz-bucket-region": token, "Content-Type": "text/plain",
        ]
        for status in [301, 400, 403, 404, 500] {
          let failure = try failure(status, body, headers: headers) { $0.contents = .init(key: key, customerKey: nil) }
          for text in [failure.words, failure.code, failure.answer].compactMap(\.self) {
            #expect(!text.contains("IQoJ") && !text.contains("wJal"), "\(text)")
          }
        }
      }
    }
  }

  private func failure(_ status: Int, code: String, _ more: String = "", keyNote: String? = nil) throws -> Failure {
    try failure(status, "<Error><Code>\(code)</Code><Message>Words.</Message>\(more)</Error>", keyNote: keyNote)
  }

  @Test(arguments: [
    (403, "InvalidAccessKeyId", Failure.Kind.credentials), (403, "SignatureDoesNotMatch", .credentials),
    (400, "ExpiredToken", .credentials), (400, "InvalidToken", .credentials), (403, "InvalidToken", .credentials),
    (400, "TokenRefreshRequired", .credentials), (400, "AuthorizationHeaderMalformed", .credentials),
    (404, "NoSuchBucket", .destination), (403, "AccessDenied", .destination), (403, "UserSuspended", .destination),
    (403, "QuotaExceeded", .destination), (403, "AllAccessDisabled", .destination),
    (403, "SecondLevelDomainForbidden", .destination), (403, "PathStyleDomainForbidden", .destination),
    (400, "VirtualHostDomainRequired", .destination), (403, "UserDisable", .destination),
    (403, "InArrearOrInsufficientBalance", .destination), (403, "InsufficientStorageSpace", .destination),
    (400, "XMinioAdminBucketQuotaExceeded", .destination), (402, "PaymentRequired", .destination),
    (403, "RequestTimeTooSkewed", .destination), (400, "InvalidBucketName", .destination),
    (400, "IllegalLocationConstraintException", .destination), (301, "PermanentRedirect", .destination),
    (307, "TemporaryRedirect", .destination), (501, "NotImplemented", .destination),
    (400, "XAmzContentSHA256Mismatch", .transient), (400, "BadDigest", .transient), (400, "RequestTimeout", .transient),
    (409, "ConditionalRequestConflict", .transient), (500, "InternalError", .transient), (502, "X", .transient),
    (503, "SlowDown", .unavailable), (503, "ServiceUnavailable", .unavailable), (429, "TooManyRequests", .throttled),
    (400, "EntityTooLarge", .rejected), (400, "KeyTooLongError", .rejected), (400, "MetadataTooLarge", .rejected),
    (400, "InvalidRequest", .rejected), (404, "NoSuchKey", .rejected), (409, "OperationAborted", .rejected),
    (412, "PreconditionFailed", .rejected), (500, "AccessDenied", .transient), (503, "InvalidToken", .unavailable),
  ]) func statusDecidesUnlessCodeIsKnown(_ status: Int, _ code: String, _ kind: Failure.Kind) throws {
    let failure = try failure(status, code: code)
    #expect(failure.kind == kind && failure.status == status && failure.code == code)
    // The refusal of a repetition says nothing of the first sending, if that changes something.
    for method in ["PUT", "POST", "DELETE", "HEAD", "GET"] {
      let repeated = try self.failure(status, isRepeated: true) { $0.exchange.method = method }
      #expect(repeated.mayHaveActed || ["HEAD", "GET"].contains(method))
    }
    if status >= 400, status != 501, code != "RequestTimeTooSkewed", code != "SlowDown", code != "ServiceUnavailable" {
      let remedy =
        S3Code.needsVirtualAddressing.contains(code)
        ? "; set addressing = \"virtual\" in [storage.main]"
        : code == S3Code.noSuchBucket ? "; create the bucket docs, or correct bucket in [storage.main]" : ""
      #expect(failure.words == "HTTP \(status) \(code): Words.\(remedy)")
    }
  }

  @Test(arguments: [
    (501, "NotImplemented", "A header you provided implies …", "<Header>If-None-Match</Header>", "overwrite = true"),
    (501, "NotImplemented", "A header you provided implies …", "<Header>x-amz-tagging</Header>", "leave out tags"),
    (501, "NotImplemented", "Header 'x-amz-tagging' with value 'a=b' not implemented", "", "leave out tags"),
    (
      501, "NotImplemented", "Header 'x-amz-object-lock-mode' with value 'X' not implemented", "",
      "leave out object_lock"
    ),
    (501, "NotImplemented", "Header 'x-amz-acl' with value 'X' not implemented", "", "leave x-amz-acl out of headers"),
    (
      400, "InvalidArgument", "Unsupported header 'x-amz-checksum-crc32c' received for this API call.", "",
      "checksum = \"sha256\""
    ),
    (
      400, "InvalidArgument", "Unsupported header 'x-amz-checksum-sha256' received for this API call.", "",
      "checksum = \"none\""
    ),
    (501, "NotImplemented", "Words.", "", "overwrite = true"),
  ]) func namesHelpfulSetting(
    _ status: Int, _ code: String, _ message: String, _ more: String, _ setting: String
  ) throws {
    let body = "<Error><Code>\(code)</Code><Message>\(message)</Message>\(more)</Error>"
    let failure = try failure(status, body, checksum: message.contains("sha256") ? .sha256 : .crc32c)
    #expect(failure.words.hasSuffix("\(setting) in [storage.main]"), "\(failure.words)")
    #expect(failure.words.ranges(of: " in [storage.main]").count == 1)
  }

  @Test(arguments: [
    (400, Failure.Kind.rejected, "HTTP 400 (Bad Request)"), (401, .credentials, "HTTP 401 (Unauthorized)"),
    (403, .rejected, "HTTP 403 (Forbidden)"), (404, .rejected, "HTTP 404 (Not Found)"),
    (503, .unavailable, "HTTP 503 (Service Unavailable)"), (599, .transient, "HTTP 599"),
  ]) func emptyBodyReportsStatusAlone(_ status: Int, _ kind: Failure.Kind, _ words: String) throws {
    for body in ["", "<oops", "<Error><Code>X"] {
      let failure = try failure(status, body)
      #expect(failure.kind == kind)
      #expect(failure.words == words)
    }
  }

  @Test(arguments: [
    ("SlowDown", Failure.Kind.unavailable, 503), ("InternalError", .transient, 500),
    ("AccessDenied", .destination, 403), ("InvalidAccessKeyId", .credentials, 403), ("BadDigest", .transient, 400),
    ("Unheard", .transient, 500),
  ]) func errorIn200UsesCodeStatus(_ code: String, _ kind: Failure.Kind, _ status: Int) throws {
    let failure = try failure(200, code: code)
    #expect(failure.kind == kind)
    #expect(failure.status == status)
    #expect(failure.words.hasPrefix("HTTP 200 with the error \(code): Words."))
  }

  /// A page says nothing of keys and rights; one that is about the request alone leaves the file to be asked about.
  @Test(arguments: [(403, true), (404, true), (405, true), (400, false), (413, false), (414, false)])
  func htmlPageIsNotStorageResponse(_ status: Int, _ isOfDestination: Bool) throws {
    let failure = try failure(status, "<html>No</html>", headers: ["Content-Type": "text/html; charset=utf-8"])
    #expect(failure.kind == (isOfDestination ? .destination : .rejected))
    #expect(failure.words.contains("answers like a web server, not like an S3 storage") == isOfDestination)
  }

  @Test func wrongRegionIsNamed() throws {
    let malformed = try failure(400, code: "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>")
    #expect(malformed.kind == .destination)
    #expect(
      malformed.words == "HTTP 400 AuthorizationHeaderMalformed: Words.; the bucket is in the region eu-west-1")
    let redirect = try failure(301, headers: ["x-amz-bucket-region": "eu-west-1", "Location": "http://b.s3/?sig=x"])
    #expect(redirect.kind == .destination)
    #expect(
      redirect.words == "HTTP 301 (Moved Permanently): redirects are not followed: Location http://b.s3/?…; "
        + "the bucket is in the region eu-west-1")
    let elsewhere = try failure(
      301, "<Error><Code>PermanentRedirect</Code><Endpoint>b.s3-eu-west-1.amazonaws.com</Endpoint></Error>")
    #expect(elsewhere.words.hasSuffix("Location b.s3-eu-west-1.amazonaws.com"))
  }

  @Test func skewNamesBothClocks() throws {
    let body = "<Error><Code>RequestTimeTooSkewed</Code><ServerTime>2026-11-21T02:02:03Z</ServerTime></Error>"
    #expect(
      try failure(403, body).words == "HTTP 403 RequestTimeTooSkewed; the clock here says 2026-11-21T01:02:03Z, "
        + "the storage's 2026-11-21T02:02:03Z")
    let date = ["Date": "Sat, 21 Nov 2026 03:02:03 GMT"]
    for code in ["RequestTimeTooSkewed", "AccessDenied"] {
      #expect(
        try failure(403, "<Error><Code>\(code)</Code></Error>", headers: date).words
          == "HTTP 403 \(code); the clock here says 2026-11-21T01:02:03Z, the storage's 2026-11-21T03:02:03Z")
      #expect(try failure(403, "<Error><Code>\(code)</Code></Error>", headers: date).kind == .destination)
    }
    let garage = "<Error><Code>InvalidRequest</Code><Message>Date is too old</Message></Error>"
    for (body, method) in [(garage, "PUT"), ("", "HEAD")] {
      let refused = try failure(400, body, headers: date) { $0.exchange.method = method }
      #expect(refused.kind == .destination && refused.words.hasSuffix("the storage's 2026-11-21T03:02:03Z"))
      #expect(refused.code == Failure.clockCode, "the first job asks for all of them")
    }
    let near = ["Date": "Sat, 21 Nov 2026 01:02:00 GMT"]
    #expect(try failure(403, "<Error><Code>RequestTimeTooSkewed</Code></Error>", headers: near).kind == .destination)
    #expect(
      try failure(403, "<Error><Code>AccessDenied</Code></Error>", headers: near).words == "HTTP 403 AccessDenied")
  }

  @Test(arguments: ["SlowDown", "ServiceUnavailable", "RequestLimitExceeded"])
  func throttling503NamesRetrySetting(_ code: String) throws {
    let hint =
      "; if the storage throttles by 503, set retry = { unavailable = \"retry\", delays = [\"5s\", \"30s\", \"2min\", \"8min\"] } "
      + "in [storage.main]"
    #expect(try failure(503, code: code).words == "HTTP 503 \(code): Words.\(hint)")
    #expect(try failure(503, code: "InternalError").words == "HTTP 503 InternalError: Words.")
    #expect(
      try failure(429, code: code).words == "HTTP 429 \(code): Words." && failure(429, code: code).kind == .throttled)
    let retried = try failure(503, "<Error><Code>\(code)</Code></Error>") { $0.settings.retry.unavailable = .retry }
    #expect(retried.words == "HTTP 503 \(code)")
  }

  @Test func refusedStaticKeyAdvisesRestart() throws {
    let note = "(read at start: restart waybill after changing it)"
    #expect(
      try failure(403, code: "InvalidAccessKeyId", keyNote: note).words
        == "HTTP 403 InvalidAccessKeyId: Words. \(note)")
    #expect(try failure(403, code: "AccessDenied", keyNote: note).words == "HTTP 403 AccessDenied: Words.")
  }

  @Test func escapesStorageMessagesForTerminal() throws {
    let shown = try failure(400, "<Error><Code>Bad\u{9F}</Code><Message>a\u{9B}2Jb\u{202E}</Message></Error>")
    #expect(shown.words == "HTTP 400 Bad\\u{9f}: a\\u{9b}2Jb\\u{202e}")
    let refused = try failure(400, "<Error><Code>Bad\u{7}</Code><Message>a\u{1B}[2J</Message></Error>")
    #expect(refused.words == "HTTP 400 Bad?: a?[2J")
  }

  @Test func boundsStorageMessages() throws {
    let long = String(repeating: "r", count: 20_000)
    let region = try failure(301, headers: ["x-amz-bucket-region": long, "Location": "http://\(long)"])
    let skewed =
      "<Error><Code>RequestTimeTooSkewed</Code><Message>\(long)</Message><ServerTime>\(long)</ServerTime></Error>"
    for failure in [region, try failure(403, skewed), try failure(400, code: long)] {
      #expect(failure.words.utf8.count < 2000 && failure.words.contains("rrr…"), "\(failure.words.prefix(100))")
    }
  }
}
