public import Jobs

/// What is owed at the storage after a cancel, until it is done.
public struct CleanupMessage: Hashable, Sendable, Codable {
  /// Whether the object is to be deleted; else only whether it is there is found out.
  public var remove: Bool
  /// How often it was tried.
  public var tries: Int
  /// When it is tried again, unless a gate or a pause holds it; nil while a try is in flight.
  public var nextAttemptAt: MessageTime?
  /// Why the last try failed.
  public var error: ErrorMessage?

  enum CodingKeys: String, CodingKey {
    case remove, tries, error
    case nextAttemptAt = "next_attempt_at"
  }

  /// A cleanup as a message.
  ///
  /// - Parameter clockOffset: what to add to a time of the clock that does not jump to get the time that people see.
  public init(_ cleanup: Cleanup, clockOffset: Duration = .zero) {
    self.remove = cleanup.remove
    self.tries = cleanup.tries
    self.nextAttemptAt = MessageTime(cleanup.nextAt.map { $0 + clockOffset })
    self.error = cleanup.failure.map(ErrorMessage.init)
  }

  /// Writes every member; what is absent is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(remove, forKey: .remove)
    try container.encode(tries, forKey: .tries)
    try container.encode(nextAttemptAt, forKey: .nextAttemptAt)
    try container.encode(error, forKey: .error)
  }
}
