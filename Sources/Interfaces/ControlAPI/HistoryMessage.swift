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
  @Nullable public var revision: Int64?
  /// The user who asked for it, if a person did.
  @Nullable public private(set) var by: CallerMessage?
  /// The user id of ``by``, under its older name.
  @Nullable public private(set) var byUID: UInt32?
  /// The user's name of ``by``, under its older name.
  @Nullable public private(set) var byUser: String?
  /// The reason: the person's words, or the failure's.
  @Nullable public var reason: String?
  /// The code and the arguments of ``reason``; nil for words that have none.
  @Nullable public var reasonSaid: Message?

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
    self.byUID = by?.uid
    self.byUser = by?.user
    self.reason = reason?.text
    self.reasonSaid = reason?.coded
  }
}
