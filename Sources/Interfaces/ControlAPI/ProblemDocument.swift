public import Jobs
public import Messages

/// An error answer of the control socket: a problem document (RFC 9457), `application/problem+json`.
public struct ProblemDocument: Error, Hashable, Sendable, Codable {
  /// The media type of a problem document.
  public static let mediaType = "application/problem+json"

  /// The last change of a job.
  public struct LastChange: Hashable, Sendable, Codable {
    /// The time of the change.
    public var at: MessageTime
    /// The person who made it; nil if no person did.
    @Nullable public var by: CallerMessage?

    /// Creates the message of a change.
    public init(at: MessageTime, by: CallerMessage?) {
      self.at = at
      self.by = by
    }
  }

  /// A URI reference; `about:blank` if the status says everything.
  public var type: String
  /// The HTTP status in words.
  public var title: String
  /// The HTTP status.
  public var status: Int
  /// The kind of problem, for programs; nil in a document that another server wrote.
  public var code: ProblemCode?
  /// The fault in this case, for a person.
  public var detail: String?
  /// The code and the arguments of ``detail``; nil for words that have none.
  public var detailSaid: Message?
  /// The state of the job that the command does not fit.
  public var state: JobState?
  /// The revision of that job.
  public var revision: Int64?
  /// The last change of that job.
  public var lastChange: LastChange?
  /// The present group, with a 409 to an answer for another group.
  public var group: ReasonGroup?

  enum CodingKeys: String, CodingKey {
    case type, title, status, code, detail, state, revision, group
    case detailSaid = "detail_said"
    case lastChange = "last_change"
  }

  /// Creates a problem of a kind, which has the status unless another is given; `group` with a 409.
  public init(_ code: ProblemCode, status: Int? = nil, detail: String?, group: ReasonGroup? = nil) {
    self.init(status: status ?? code.status, detail: detail)
    self.code = code
    self.group = group
  }

  /// Creates a problem of a kind, with a message as its detail.
  public init(_ code: ProblemCode, saying detail: Message, group: ReasonGroup? = nil) {
    self.init(code, detail: detail.text, group: group)
    detailSaid = detail.coded
  }

  /// The detail as a message, with or without a code.
  public var said: Message { detailSaid ?? .text(detail ?? "") }

  /// Creates a problem of which only the status is known.
  public init(status: Int, detail: String?) {
    self.type = "about:blank"
    self.title = Self.title(of: status)
    self.status = status
    self.detail = detail
  }

  /// Reads a document; all members may be absent (RFC 9457, section 3.1).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.type = try container.decodeIfPresent(String.self, forKey: .type) ?? "about:blank"
    self.status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 0
    self.title = try container.decodeIfPresent(String.self, forKey: .title) ?? Self.title(of: status)
    self.code = try container.decodeIfPresent(String.self, forKey: .code).flatMap { ProblemCode(rawValue: $0) }
    self.detail = try container.decodeIfPresent(String.self, forKey: .detail)
    self.detailSaid = try container.decodeIfPresent(Message.self, forKey: .detailSaid)
    self.state = try container.decodeIfPresent(JobState.self, forKey: .state)
    self.revision = try container.decodeIfPresent(Int64.self, forKey: .revision)
    self.lastChange = try container.decodeIfPresent(LastChange.self, forKey: .lastChange)
    self.group = try container.decodeIfPresent(ReasonGroup.self, forKey: .group)
  }

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
