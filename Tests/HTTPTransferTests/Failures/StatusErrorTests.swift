import HTTPTransfer
import Jobs
import Testing

@Suite struct StatusErrorTests {
  private let now = Timestamp(year: 2026, month: 11, day: 21, hour: 1, minute: 2, second: 3)

  private func failure(
    _ status: Int, _ server: StatusError.Server = .backend, _ headers: [HTTPHeader] = [], _ body: String = ""
  ) -> Failure {
    let response = HTTPResponse(status: status, headers: HTTPHeaders(headers), body: Array(body.utf8))
    return StatusError(response, from: server, now: now, hiding: .none).failure
  }

  @Test func onlyAmbiguousStatusesMayHaveActed() {
    for status in [500, 502, 504, 599, 100, 200] { #expect(failure(status).mayHaveActed, "\(status)") }
    for status in [301, 400, 401, 408, 409, 422, 425, 429, 501, 503, 505] {
      #expect(!failure(status).mayHaveActed, "\(status)")
    }
  }

  @Test func wordsIncludeStatusAndServerMessage() {
    let json = [HTTPHeader("content-type", "application/json")]
    #expect(
      failure(422, .backend, json, #"{"error":"invoice number is taken"}"#).words
        == "HTTP 422: invoice number is taken")
    #expect(failure(422).words == "HTTP 422 (Unprocessable Content)")
    #expect(failure(418).words == "HTTP 418")
    #expect(failure(200).words == "HTTP 200: the answer cannot be understood")
    #expect(
      failure(500, .backend, [HTTPHeader("Content-Type", "text/html")], "<h1>no</h1>").words
        == "HTTP 500 (Internal Server Error)")
  }

  @Test func redirectNamesLocationWithoutQuery() {
    let location = [HTTPHeader("Location", "https://eu.example.com/b/k?X-Amz-Signature=secret")]
    #expect(
      failure(307, .storage, location).words
        == "HTTP 307 (Temporary Redirect): redirects are not followed: Location https://eu.example.com/b/k?…")
    #expect(failure(304, .backend).words == "HTTP 304 (Not Modified): redirects are not followed: no Location")
  }

  @Test func wordsIncludeCodeAndMessage() {
    let error = StatusError(
      server: .storage, status: 403, code: "AccessDenied", message: "Access\u{1B}[31m Denied\n",
      retryAfter: .seconds(5))
    #expect(error.failure.words == "HTTP 403: AccessDenied: Access\\x1b[31m Denied")
    #expect(error.failure.code == "AccessDenied")
    #expect(error.failure.retryAfter == .seconds(5))
    let missing = StatusError(server: .storage, status: 404, code: "NoSuchKey", message: "").failure
    #expect(missing.words == "HTTP 404: NoSuchKey")
  }

  @Test func failureKeepsRetryAfter() {
    #expect(failure(503, .backend, [HTTPHeader("retry-after", "120")]).retryAfter == .seconds(120))
    #expect(
      failure(429, .backend, [HTTPHeader("Retry-After", "Sat, 21 Nov 2026 01:03:03 GMT")]).retryAfter == .seconds(60))
    #expect(failure(409, .backend).retryAfter == nil)
    #expect(failure(409, .backend).kind == .conflict, "alone of all refusals it is tried again if the server says when")
  }

  @Test(arguments: [
    ("0", Duration.zero), (" 7 ", .seconds(7)), ("99999999999999999999", .seconds(1 << 40)),
    ("Sat, 21 Nov 2026 01:02:13 GMT", .seconds(10)),
    ("Sun, 06 Nov 1994 08:49:37 GMT", .zero), ("Mon, 23 Nov 2026 01:02:03 GMT", .seconds(2 * 86_400)),
  ])
  func retryAfterIsSecondsOrDate(_ value: String, _ expected: Duration) {
    #expect(RetryAfter.parse(value, now: now) == expected)
  }

  @Test(arguments: [
    "", "soon", "-1", "1.5", "+3", "Sat, 21 Nov 2026 01:02:13 CET", "Sat, 32 Nov 2026 01:02:13 GMT",
    "Sat, 21 Nov 2026 25:02:13 GMT", "Sat Nov 21 01:02:13 2026", "21 Nov 2026", "Sat, 21 Foo 2026 01:02:13 GMT", "٣",
  ])
  func invalidRetryAfterIsIgnored(_ value: String) {
    #expect(RetryAfter.parse(value, now: now) == nil)
  }
}

extension StatusError.Server {
  static let both: [StatusError.Server] = [.storage, .backend]
}
