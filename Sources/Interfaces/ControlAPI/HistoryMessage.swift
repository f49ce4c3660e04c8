public import Jobs
public import Messages

/// One event in the history of a job.
public struct HistoryMessage: Hashable, Sendable, Codable {
  /// The time of the event.
  public var at: MessageTime
  /// The kind of event, by the name that journal and stream use.
  public var event: String
  /// The step at which it happened.
  public var step: Step
  /// The revision of the job right after the event.
  public var revision: Int64?
  /// The user who asked for it, if a person did.
  public var by: CallerMessage?
  /// The reason: the person's words, or the failure's.
  public var reason: String?
  /// The code and the arguments of ``reason``; nil for words that have none.
  public var reasonSaid: Message?

  enum CodingKeys: String, CodingKey {
    case at, event, step, revision, by, reason
    case reasonSaid = "reason_said"
    case byUID = "by_uid"
    case byUser = "by_user"
  }

  /// Creates an entry of a job's history.
  public init(
    at: Timestamp, event: JobEvent.Kind, step: Step, revision: Int64? = nil, by: Caller?, reason: Message?
  ) {
    self.at = MessageTime(at)
    self.event = event.rawValue
    self.step = step
    self.revision = revision
    self.by = by.map(CallerMessage.init)
    self.reason = reason?.text
    self.reasonSaid = reason?.coded
  }

  /// Reads the members; those of the older form only repeat `by`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    at = try container.decode(MessageTime.self, forKey: .at)
    event = try container.decode(String.self, forKey: .event)
    step = try container.decode(Step.self, forKey: .step)
    revision = try container.decodeIfPresent(Int64.self, forKey: .revision)
    by = try container.decodeIfPresent(CallerMessage.self, forKey: .by)
    reason = try container.decodeIfPresent(String.self, forKey: .reason)
    reasonSaid = try container.decodeIfPresent(Message.self, forKey: .reasonSaid)
  }

  /// Writes every member; an absent value is null. `by_uid` and `by_user` are the older form of `by`, for scripts that read them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(at, forKey: .at)
    try container.encode(event, forKey: .event)
    try container.encode(step, forKey: .step)
    try container.encode(revision, forKey: .revision)
    try container.encode(by, forKey: .by)
    try container.encode(by?.uid, forKey: .byUID)
    try container.encode(by?.user, forKey: .byUser)
    try container.encode(reason, forKey: .reason)
    try container.encode(reasonSaid, forKey: .reasonSaid)
  }
}
