public import Jobs
public import Messages

/// An error answer of the control socket: a problem document (RFC 9457), `application/problem+json`.
public struct ProblemDocument: Error, Hashable, Sendable, Codable {
  /// The media type of a problem document.
  public static let mediaType = "application/problem+json"

  /// The extra members of a 409: the state of the job, and who changed it last and when.
  public struct Conflict: Hashable, Sendable {
    /// The state of the job.
    public var state: JobState
    /// Its revision.
    public var revision: Int64
    /// The person who changed it last, if a person did.
    public var changedBy: CallerMessage?
    /// The time at which it was changed last.
    public var changedAt: MessageTime

    fileprivate init(state: JobState, revision: Int64, changedBy: CallerMessage?, changedAt: MessageTime) {
      self.state = state
      self.revision = revision
      self.changedBy = changedBy
      self.changedAt = changedAt
    }

    /// Creates the extra members from the job that a command does not fit.
    public init(_ job: Job, changedBy: Caller?, changedAt: Timestamp?) {
      self.state = job.state
      self.revision = job.revision
      self.changedBy = changedBy.map(CallerMessage.init)
      self.changedAt = MessageTime(changedAt ?? job.updatedAt)
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
  /// The state of the job, with a 409.
  public var conflict: Conflict?
  /// The present group, with a 409 to an answer for another group.
  public var group: ReasonGroup?

  enum CodingKeys: String, CodingKey {
    case type, title, status, code, detail, state, revision, group
    case detailSaid = "detail_said"
    case lastChange = "last_change"
  }

  /// The time and the person of a job's last change.
  private struct LastChange: Codable {
    var at: MessageTime
    @Nullable var by: CallerMessage?
  }

  /// Creates a problem of a kind, which has the status unless another is given; `conflict` or `group` with a 409.
  public init(
    _ code: ProblemCode, status: Int? = nil, detail: String?, conflict: Conflict? = nil, group: ReasonGroup? = nil
  ) {
    self.init(status: status ?? code.status, detail: detail)
    self.code = code
    self.conflict = conflict
    self.group = group
  }

  /// Creates a problem of a kind, with a message as its detail.
  public init(
    _ code: ProblemCode, status: Int? = nil, saying detail: Message, conflict: Conflict? = nil,
    group: ReasonGroup? = nil
  ) {
    self.init(code, status: status, detail: detail.text, conflict: conflict, group: group)
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
    if let state = try container.decodeIfPresent(JobState.self, forKey: .state) {
      let change = try container.decode(LastChange.self, forKey: .lastChange)
      let revision = try container.decode(Int64.self, forKey: .revision)
      self.conflict = Conflict(state: state, revision: revision, changedBy: change.by, changedAt: change.at)
    }
    self.group = try container.decodeIfPresent(ReasonGroup.self, forKey: .group)
  }

  /// Writes the document; the extra members of a 409 are written beside the others.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(title, forKey: .title)
    try container.encode(status, forKey: .status)
    try container.encodeIfPresent(code, forKey: .code)
    try container.encodeIfPresent(detail, forKey: .detail)
    try container.encodeIfPresent(detailSaid, forKey: .detailSaid)
    try container.encodeIfPresent(group, forKey: .group)
    guard let conflict else { return }
    try container.encode(conflict.state, forKey: .state)
    try container.encode(conflict.revision, forKey: .revision)
    try container.encode(LastChange(at: conflict.changedAt, by: conflict.changedBy), forKey: .lastChange)
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
