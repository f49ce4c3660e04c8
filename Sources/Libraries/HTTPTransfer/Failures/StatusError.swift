public import Jobs
public import Messages

/// An HTTP answer that is not the expected success.
public struct StatusError: Error, Hashable, Sendable {
  /// The sender of the answer. Some statuses have a different meaning for each.
  public enum Server: String, Sendable {
    /// An object storage. 404 and 409 are refusals, unless the storage's own error codes, which come first, mean something else.
    case storage
    /// A registration backend. 404 and 405 mean a wrong address; 409 means a conflict.
    case backend
  }

  /// The sender of the answer.
  var server: Server
  /// The status, unchanged.
  public var status: Int
  /// The server's own error code, e.g. S3's `NoSuchBucket`.
  public var code: String?
  /// The server's own error text, escaped and shortened.
  public var message: String?
  /// The `Location` of a redirect, escaped and bounded.
  var location: String?
  /// The wait that the server asked for.
  public var retryAfter: Duration?
  /// True if the answer is a web page, which does not come from the server itself but from something in front of it.
  public var isPage = false
  /// True if the answer means that the server requires a client certificate, or another one.
  public var refusesCertificate = false
  /// The beginning of the answer, escaped; nil if it was empty.
  public var answer: String?

  /// Creates an error for an answer whose code and message the caller has parsed, e.g. from S3's XML. The texts are freed of
  /// secrets, escaped and shortened.
  public init(
    server: Server, status: Int, code: String? = nil, message: String? = nil, location: String? = nil,
    retryAfter: Duration? = nil, hiding mask: SecretMask = .none
  ) {
    self.server = server
    self.status = status
    func shown(_ text: String) -> String { BoundedText.of(mask.hiding(in: text)) }
    self.code = code.map(shown)
    self.message = message.map(shown).flatMap { $0.isEmpty ? nil : $0 }
    self.location = location.map(Self.withoutQuery).map(shown)
    self.retryAfter = retryAfter
  }

  /// Creates an error for an answer. ``ServerMessage`` finds its message; `Retry-After` counts from `now`. The request's secrets
  /// are removed.
  public init(_ response: HTTPResponse, from server: Server, now: Timestamp, hiding mask: SecretMask) {
    let headers = response.headers
    self.init(
      server: server, status: response.status, message: ServerMessage.find(in: response, hiding: mask),
      location: headers[first: "Location"],
      retryAfter: headers[first: "Retry-After"].flatMap { RetryAfter.parse($0, now: now) }, hiding: mask)
    isPage = response.isHTML
    refusesCertificate = Self.refusesCertificate(response.status, isPage ? message : nil)
    answer = FailedAnswer.text(response, hiding: mask)
  }

  /// True for nginx's statuses about client certificates, which it sends as a 400 with these titles (`ngx_http_ssl_module`, "Error
  /// Processing").
  private static func refusesCertificate(_ status: Int, _ title: String?) -> Bool {
    switch status {
    case 495, 496: true
    case 400:
      ["No required SSL certificate was sent", "The SSL certificate error"].contains { title?.contains($0) ?? false }
    default: false
    }
  }

  /// Removes the query of an address, because it may contain a signature, which is a secret.
  private static func withoutQuery(_ location: String) -> String {
    guard let query = location.firstIndex(of: "?") else { return location }
    return location[..<query] + "?…"
  }
}

extension StatusError: FailureConvertible {
  /// The kind of failure that the status means; nil for one that cannot be the final status of an answer here: 1xx, 2xx but a page, or
  /// above 599.
  var statusKind: Failure.Kind? {
    switch (status, server) {
    case (503, _): .unavailable
    case (401, _): .credentials
    case _ where refusesCertificate: .credentials
    case (429, _): .throttled
    case (408, _), (425, _): .transient
    // A gateway requires a login before it lets anything through (RFC 6585, section 6).
    case (511, _): .network
    // 402: the account must be paid for. 407: a proxy wants a login (RFC 9110, section 15.5.8), which no job has.
    case (402, .storage): .destination
    case (300..<400, _), (407, _), (421, _), (501, _), (505, _): .destination
    case (200..<300, _) where isPage: .destination
    case (403, _) where isPage: .destination
    case (404, .backend), (405, .backend): .destination
    case (409, .backend): .conflict
    case (400..<500, _): .rejected
    case (500..<600, _): .transient
    default: nil
    }
  }

  /// The failure of the attempt that got this answer.
  ///
  /// `mayHaveActed` is true for answers that can come after the request took effect: 5xx from a server or gateway in trouble, 2xx
  /// that is a web page, and answers that cannot be interpreted. It is false for 501, 503, 505 and 511, and for any 4xx.
  public var failure: Failure {
    let mayHaveActed =
      switch statusKind {
      case nil: true
      case .destination: status < 300
      case .transient: status >= 500
      default: false
      }
    return Failure(
      statusKind ?? .transient, reason, status: status, code: code, retryAfter: retryAfter, mayHaveActed: mayHaveActed,
      answer: answer)
  }

  /// The reason: the status with the server's own text, or else with the name of the status.
  public var reason: Message {
    let said = [code, message].compactMap(\.self).joined(separator: ": ")
    let side = server.rawValue
    switch status {
    case _ where refusesCertificate:
      return said.isEmpty
        ? .httpCertificate(status: status, side: side) : .httpCertificateSaid(status: status, said: said, side: side)
    case 300..<400:
      return location.map { .httpRedirect(answer: named, location: $0) } ?? .httpRedirectNowhere(answer: named)
    case 200..<300 where isPage, 403 where isPage:
      return said.isEmpty
        ? .httpPage(status: status, side: side) : .httpPageTitled(status: status, title: said, side: side)
    case _ where !said.isEmpty: return .httpStatusSaid(status: status, said: said)
    case _ where statusKind == nil: return .httpNotUnderstood(answer: named)
    default: return named
    }
  }

  private var named: Message {
    ReasonPhrase.of(status).map { .httpStatusNamed(status: status, name: $0) } ?? .httpStatus(status: status)
  }
}

/// The standard reason phrases of failure statuses.
///
/// From the IANA registry of HTTP status codes (RFC 9110, 6585, 7725, 8470).
package enum ReasonPhrase {
  package static func of(_ status: Int) -> String? { phrases[status] }

  private static let phrases: [Int: String] = [
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
    409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
    425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported", 506: "Variant Also Negotiates",
    507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
  ]
}
