public import Messages

extension ProblemDocument: Error {
  /// The media type of a problem document.
  public static let mediaType = "application/problem+json"

  /// Creates a problem of a kind, which has the status unless another is given; `group` with a 409.
  public init(_ code: ProblemCode, status: Int? = nil, saying detail: Message, group: ReasonGroup? = nil) {
    self.init(status: status ?? code.status, detail: nil)
    (self.code, self.detail, self.group) = (code, detail, group)
  }

  /// Creates a problem of which only the status is known.
  public init(status: Int, detail: String?) {
    self.init(
      type: "about:blank", title: Self.title(of: status), status: status, detail: detail.map { .text($0) })
  }

  /// The detail; the title if there is none.
  public var said: Message { detail ?? .text(title) }

  /// Returns the words of RFC 9110, section 15, for the statuses that the control socket answers.
  private static func title(of status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 500: "Internal Server Error"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    default: "Error"
    }
  }
}
