/// The facts about a claimed file in a shared spool that a host needs to continue its job: those of the file, and those in the
/// records beside it.
public struct Inheritance: Hashable, Sendable {
  /// The end that a person or a 503 has set to a job.
  public struct Stop: Hashable, Sendable {
    /// The kind of end.
    public enum Kind: String, Sendable, Codable {
      /// A 503 ended it.
      case aborted
      /// A person cancelled it.
      case cancelled
      /// A person deleted the file, or took it back.
      case discarded
    }

    /// The kind of end.
    public var kind: Kind
    /// True if the object at the storage is to be removed.
    public var remove: Bool
    /// The reason, in the words of the person.
    public var reason: String?
    /// The user who stopped it; nil for a 503.
    public var by: Caller?
    /// The failure that aborted it.
    public var failure: Failure?

    /// Creates a stop.
    public init(_ kind: Kind, remove: Bool = false, reason: String? = nil, by: Caller? = nil, failure: Failure? = nil) {
      self.kind = kind
      self.remove = remove
      self.reason = reason
      self.by = by
      self.failure = failure
    }
  }

  /// The facts of the bytes that were uploaded, or are to be.
  public var identity: FileIdentity
  /// The link with the frozen body, if the object is stored.
  public var stored: StoredLink?
  /// The end that was set to the job, if any.
  public var stop: Stop?
  /// The host that held the spool before; nil if it was this one.
  public var from: String?

  /// Creates an inheritance.
  public init(identity: FileIdentity, stored: StoredLink? = nil, stop: Stop? = nil, from: String? = nil) {
    self.identity = identity
    self.stored = stored
    self.stop = stop
    self.from = from
  }
}
