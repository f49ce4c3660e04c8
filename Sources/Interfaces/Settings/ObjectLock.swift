public import Jobs

/// `object_lock`: the lock that an object is stored with ("Using S3 Object Lock" in the S3 user guide).
public struct ObjectLock: Hashable, Sendable {
  /// The protection of an object against removal.
  public enum Mode: String, Choice {
    /// Until its time is over, except for users with a special permission to remove it before.
    case governance
    /// Until its time is over, for everybody.
    case compliance
  }

  /// The mode and the time, which begins when the job is admitted; nil for none.
  public var retention: Retention?
  /// True if nobody may remove the object until the legal hold is lifted.
  public var hasLegalHold: Bool

  /// A mode and its time.
  public struct Retention: Hashable, Sendable {
    /// The mode.
    public var mode: Mode
    /// The time, in whole days.
    public var span: Duration

    /// Creates a mode and its time. It is rounded up to whole days, so that a year of 365.25 days is never shorter than one of the
    /// calendar.
    public init(mode: Mode, span: Duration) {
      self.mode = mode
      self.span = .seconds((span.components.seconds + 86_399) / 86_400 * 86_400)
    }

    /// Returns the end of the time, rounded up to whole seconds.
    public func end(from start: Timestamp) -> Timestamp { start + span + .microseconds(999_999) }
  }

  /// Creates a lock.
  public init(retention: Retention? = nil, hasLegalHold: Bool = false) {
    self.retention = retention
    self.hasLegalHold = hasLegalHold
  }
}
