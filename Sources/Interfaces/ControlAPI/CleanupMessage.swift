public import Jobs

/// The cleanup that is to be done at the storage, until it is done.
public struct CleanupMessage: Hashable, Sendable, Codable {
  /// True if the object is to be deleted; false if the cleanup only finds out if the object exists.
  public var remove: Bool
  /// The number of tries.
  public var tries: Int
  /// The time at which it is tried again, unless a gate or a pause holds it; nil while a try is in flight.
  @Nullable public var nextAttemptAt: MessageTime?
  /// The reason why the last try failed.
  @Nullable public var error: ErrorMessage?

  enum CodingKeys: String, CodingKey {
    case remove, tries, error
    case nextAttemptAt = "next_attempt_at"
  }

  /// Creates the message of a cleanup.
  ///
  /// - Parameter clockOffset: the difference from the steady clock to the wall-clock time.
  public init(_ cleanup: Cleanup, clockOffset: Duration = .zero) {
    self.remove = cleanup.aim == .remove
    self.tries = cleanup.tries
    self.nextAttemptAt = MessageTime(cleanup.nextAt.map { $0 + clockOffset })
    self.error = cleanup.failure.map(ErrorMessage.init)
  }
}
