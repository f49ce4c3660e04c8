public import Jobs

/// An error answer of the control socket: a problem document (RFC 9457), `application/problem+json`.
public struct ProblemDocument: Error, Hashable, Sendable, Codable {
  /// The media type of a problem document.
  public static let mediaType = "application/problem+json"

  /// The extra members of a 409: the state of the job, and who changed it last and when.
  public struct Conflict: Hashable, Sendable {
    /// The state of the job.
    public var state: State
    /// Its revision.
    public var revision: Int64
    /// The name of the person who changed it last, if a person did.
    public var changedBy: String?
    /// The user id of that person.
    public var changedByUID: UInt32?
    /// The time at which it was changed last.
    public var changedAt: MessageTime

    /// Creates the extra members from the job that a command does not fit.
    public init(_ job: Job, changedBy: Caller?, changedAt: Timestamp?) {
      self.state = job.state
      self.revision = job.revision
      self.changedBy = changedBy?.user
      self.changedByUID = changedBy?.uid
      self.changedAt = MessageTime(changedAt ?? job.updatedAt)
    }
  }

  /// A URI reference; `about:blank` if the status says all.
  public var type: String
  /// The HTTP status in words.
  public var title: String
  /// The HTTP status.
  public var status: Int
  /// The fault in this case, for a person.
  public var detail: String?
  /// The state of the job, with a 409.
  public var conflict: Conflict?
  /// The group as it is, with a 409 to an answer for another one.
  public var group: ReasonGroup?

  enum CodingKeys: String, CodingKey {
    case type, title, status, detail, state, revision, group
    case changedBy = "changed_by"
    case changedByUID = "changed_by_uid"
    case changedAt = "changed_at"
  }

  /// Creates a problem that its status names; `conflict` or `group` with a 409.
  public init(status: Int, detail: String?, conflict: Conflict? = nil, group: ReasonGroup? = nil) {
    self.type = "about:blank"
    self.title = Self.title(of: status)
    self.status = status
    self.detail = detail
    self.conflict = conflict
    self.group = group
  }

  /// Reads a document; all members may be absent (RFC 9457, section 3.1).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.type = try container.decodeIfPresent(String.self, forKey: .type) ?? "about:blank"
    self.status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 0
    self.title = try container.decodeIfPresent(String.self, forKey: .title) ?? Self.title(of: status)
    self.detail = try container.decodeIfPresent(String.self, forKey: .detail)
    self.conflict = try Conflict(container)
    self.group = try container.decodeIfPresent(ReasonGroup.self, forKey: .group)
  }

  /// Writes the document; the extra members of a 409 stand beside the others.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(title, forKey: .title)
    try container.encode(status, forKey: .status)
    try container.encodeIfPresent(detail, forKey: .detail)
    try container.encodeIfPresent(group, forKey: .group)
    guard let conflict else { return }
    try container.encode(conflict.state, forKey: .state)
    try container.encode(conflict.revision, forKey: .revision)
    try container.encode(conflict.changedBy, forKey: .changedBy)
    try container.encode(conflict.changedByUID, forKey: .changedByUID)
    try container.encode(conflict.changedAt, forKey: .changedAt)
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
    case 422: "Unprocessable Content"
    case 500: "Internal Server Error"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    default: "Error"
    }
  }
}

extension ProblemDocument.Conflict {
  fileprivate init?(_ container: KeyedDecodingContainer<ProblemDocument.CodingKeys>) throws {
    guard let state = try container.decodeIfPresent(State.self, forKey: .state) else { return nil }
    self.state = state
    self.revision = try container.decode(Int64.self, forKey: .revision)
    self.changedBy = try container.decodeIfPresent(String.self, forKey: .changedBy)
    self.changedByUID = try container.decodeIfPresent(UInt32.self, forKey: .changedByUID)
    self.changedAt = try container.decode(MessageTime.self, forKey: .changedAt)
  }
}
