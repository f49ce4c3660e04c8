public import Jobs

/// `object_lock`: the lock that an object is stored with ("Using S3 Object Lock" in the S3 user guide).
public struct ObjectLock: Hashable, Sendable {
  /// The way in which an object is kept from being removed.
  public enum Mode: String, Choice {
    /// Until its time is over, unless somebody has a right of its own to remove it before.
    case governance
    /// Until its time is over, by nobody.
    case compliance
  }

  /// The mode and the time from the admission of the job on; nil for none.
  public var retention: Retention?
  /// True if nobody may remove the object until somebody lifts the hold.
  public var hasLegalHold: Bool

  /// A mode with its time.
  public struct Retention: Hashable, Sendable {
    /// The mode.
    public var mode: Mode
    /// The time.
    public var span: RetentionSpan

    /// Creates a mode with its time.
    public init(mode: Mode, span: RetentionSpan) {
      self.mode = mode
      self.span = span
    }
  }

  /// Creates a lock.
  public init(retention: Retention? = nil, hasLegalHold: Bool = false) {
    self.retention = retention
    self.hasLegalHold = hasLegalHold
  }
}
