public import Jobs

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

  /// nginx has its own statuses for it, which it sends as a 400 with these titles (`ngx_http_ssl_module`, "Error Processing").
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
    guard let mark = location.firstIndex(of: "?") else { return location }
    return location[..<mark] + "?…"
  }
}
