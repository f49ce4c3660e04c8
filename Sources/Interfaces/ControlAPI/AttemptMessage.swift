public import Jobs

/// A try of a step.
public struct AttemptMessage: Hashable, Sendable, Codable {
  /// The step that was tried.
  public var step: Step
  /// The count of the try over the job's life.
  public var attempt: Int
  /// The time at which it began.
  public var startedAt: MessageTime
  /// The time at which it ended.
  public var endedAt: MessageTime
  /// `succeeded`, `failed`, or `cut` by a stop, a crash or a cancel.
  public var outcome: String
  /// The reason why it failed.
  @Nullable public var error: ErrorMessage?

  enum CodingKeys: String, CodingKey {
    case step, attempt, outcome, error
    case startedAt = "started_at"
    case endedAt = "ended_at"
  }

  /// Creates the message of a try.
  public init(_ attempt: Attempt) {
    self.step = attempt.step
    self.attempt = attempt.number
    self.startedAt = MessageTime(attempt.startedAt)
    self.endedAt = MessageTime(attempt.endedAt)
    self.outcome = attempt.outcome.rawValue
    self.error = attempt.failure.map(ErrorMessage.init)
  }
}
