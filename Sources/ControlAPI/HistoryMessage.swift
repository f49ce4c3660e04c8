public import Jobs

/// One event in the history of a job.
public struct HistoryMessage: Hashable, Sendable, Codable {
  /// The time of the event.
  public var at: MessageTime
  /// The kind of event, by the name that journal and stream use.
  public var event: String
  /// The step at which it happened.
  public var step: Step
  /// The revision of the job that it made.
  public var revision: Int64?
  /// The id of the user who asked for it.
  public var byUID: UInt32?
  /// The name of the user who asked for it.
  public var byUser: String?
  /// The reason: the person's words, or the failure's.
  public var reason: String?

  enum CodingKeys: String, CodingKey {
    case at, event, step, revision, reason
    case byUID = "by_uid"
    case byUser = "by_user"
  }

  /// Creates an entry of a job's history.
  public init(
    at: Timestamp, event: JobEvent.Kind, step: Step, revision: Int64? = nil, by: Caller?, reason: String?
  ) {
    self.at = MessageTime(at)
    self.event = event.rawValue
    self.step = step
    self.revision = revision
    self.byUID = by?.uid
    self.byUser = by?.user
    self.reason = reason
  }

  /// Writes every member; an absent value is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(at, forKey: .at)
    try container.encode(event, forKey: .event)
    try container.encode(step, forKey: .step)
    try container.encode(revision, forKey: .revision)
    try container.encode(byUID, forKey: .byUID)
    try container.encode(byUser, forKey: .byUser)
    try container.encode(reason, forKey: .reason)
  }
}
