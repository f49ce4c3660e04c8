public import Jobs

/// One job with all that is known of it.
public struct JobDetailMessage: Hashable, Sendable, Codable {
  /// The job as lists have it; its members stand beside the others.
  public var job: JobMessage
  /// The object's key.
  public var key: String
  /// SHA-256 of all bytes in hex, where it was reckoned.
  public var sha256: String?
  /// What the far sides gave.
  public var receipts: ReceiptsMessage
  /// The tries of both steps, oldest first.
  public var attempts: [AttemptMessage]
  /// What travels with the file.
  public var metadata: [String: String]
  /// What happened to the job, oldest first.
  public var history: [HistoryMessage]

  enum CodingKeys: String, CodingKey { case key, sha256, receipts, attempts, metadata, history }

  /// A job as a message, with its attempts and history; `message` is the short form of the same job.
  public init(_ job: Job, message: JobMessage, attempts: [AttemptMessage], history: [HistoryMessage]) {
    self.job = message
    self.key = job.ticket.key
    self.sha256 = job.stored?.receipt?.sha256
    self.receipts = ReceiptsMessage(upload: job.stored?.receipt, register: job.registration)
    self.attempts = attempts
    self.metadata = job.ticket.metadata
    self.history = history
  }

  /// Reads the members of both forms.
  public init(from decoder: any Decoder) throws {
    self.job = try JobMessage(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.key = try container.decode(String.self, forKey: .key)
    self.sha256 = try container.decodeIfPresent(String.self, forKey: .sha256)
    self.receipts = try container.decode(ReceiptsMessage.self, forKey: .receipts)
    self.attempts = try container.decode([AttemptMessage].self, forKey: .attempts)
    self.metadata = try container.decode([String: String].self, forKey: .metadata)
    self.history = try container.decode([HistoryMessage].self, forKey: .history)
  }

  /// Writes the members of both forms side by side; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    try job.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(receipts, forKey: .receipts)
    try container.encode(attempts, forKey: .attempts)
    try container.encode(metadata, forKey: .metadata)
    try container.encode(history, forKey: .history)
  }
}

/// A try of a step.
public struct AttemptMessage: Hashable, Sendable, Codable {
  /// The step that was tried.
  public var step: Step
  /// The count of the try over the job's life.
  public var attempt: Int
  /// When it began.
  public var startedAt: MessageTime
  /// When it ended.
  public var endedAt: MessageTime
  /// `succeeded`, `failed`, or `cut` by a stop, a crash or a cancel.
  public var outcome: String
  /// Why it failed.
  public var error: ErrorMessage?

  enum CodingKeys: String, CodingKey {
    case step, attempt, outcome, error
    case startedAt = "started_at"
    case endedAt = "ended_at"
  }

  /// A try as a message.
  public init(_ attempt: Attempt) {
    self.step = attempt.step
    self.attempt = attempt.number
    self.startedAt = MessageTime(attempt.startedAt)
    self.endedAt = MessageTime(attempt.endedAt)
    self.outcome = attempt.outcome.rawValue
    self.error = attempt.failure.map(ErrorMessage.init)
  }

  /// Writes every member; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(step, forKey: .step)
    try container.encode(attempt, forKey: .attempt)
    try container.encode(startedAt, forKey: .startedAt)
    try container.encode(endedAt, forKey: .endedAt)
    try container.encode(outcome, forKey: .outcome)
    try container.encode(error, forKey: .error)
  }
}

/// One thing that happened to a job.
public struct HistoryMessage: Hashable, Sendable, Codable {
  /// When.
  public var at: MessageTime
  /// What, by the name that journal and stream use.
  public var event: String
  /// The step at which it happened.
  public var step: Step
  /// The user id of who asked for it.
  public var byUID: UInt32?
  /// The name of who asked for it.
  public var byUser: String?
  /// Why: the person's words, or the failure's.
  public var reason: String?

  enum CodingKeys: String, CodingKey {
    case at, event, step, reason
    case byUID = "by_uid"
    case byUser = "by_user"
  }

  /// A line of a job's history.
  public init(at: Timestamp, event: JobEvent.Kind, step: Step, by: Caller?, reason: String?) {
    self.at = MessageTime(at)
    self.event = event.rawValue
    self.step = step
    self.byUID = by?.uid
    self.byUser = by?.user
    self.reason = reason
  }

  /// Writes every member; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(at, forKey: .at)
    try container.encode(event, forKey: .event)
    try container.encode(step, forKey: .step)
    try container.encode(byUID, forKey: .byUID)
    try container.encode(byUser, forKey: .byUser)
    try container.encode(reason, forKey: .reason)
  }
}
