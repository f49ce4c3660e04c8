/// What a person stopped, or the daemon after the ledger was lost. It holds until a person resumes it, through restarts,
/// and no probe passes it.
public struct Pause: Hashable, Sendable {
  /// What can be paused.
  public enum Target: Hashable, Sendable {
    /// All jobs.
    case all
    /// All jobs and the claiming of files, since the ledger was lost in part: the daemon itself pauses that, and only a
    /// person ends it.
    case recovered
    /// The claiming of files. Jobs go on.
    case intake
    /// The jobs of a spool, by its name.
    case spool(String)
    /// Uploads to a storage, by its name.
    case storage(String)
    /// Registrations with a backend, by its name.
    case backend(String)

    /// The name as `held_by`, journal and ledger have it: `all`, `recovered`, `intake`, `spool.NAME`, `storage.NAME`, `backend.NAME`.
    public var name: String {
      switch self {
      case .all: "all"
      case .recovered: "recovered"
      case .intake: "intake"
      case .spool(let name): "spool." + name
      case .storage(let name): "storage." + name
      case .backend(let name): "backend." + name
      }
    }

    /// Whether every job is held by it.
    public var holdsAll: Bool { self == .all || self == .recovered }

    /// Reads a name; nil where it is none.
    public init?(name: String) {
      let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch (parts[0], parts.count > 1 ? parts[1] : nil) {
      case ("all", nil): self = .all
      case ("recovered", nil): self = .recovered
      case ("intake", nil): self = .intake
      case ("spool", let name?): self = .spool(name)
      case ("storage", let name?): self = .storage(name)
      case ("backend", let name?): self = .backend(name)
      default: return nil
      }
    }
  }

  /// What is paused.
  public var target: Target
  /// Since when.
  public var since: Timestamp
  /// Who paused it.
  public var by: Caller

  /// A pause.
  public init(_ target: Target, since: Timestamp, by: Caller) {
    self.target = target
    self.since = since
    self.by = by
  }
}

/// What keeps a job from starting: a pause or a gate.
public struct Hold: Hashable, Sendable {
  /// `all`, `recovered`, `spool.NAME`, `storage.NAME` or `backend.NAME`; of a pause also `intake`.
  public var destination: String
  /// Why.
  public var reason: Gate.Reason
  /// Since when, in the time that people see.
  public var since: Timestamp
  /// When a probe is due, on the clock that does not jump; nil where that is not a matter of time.
  public var until: Timestamp?

  /// Something that is closed.
  public init(destination: String, reason: Gate.Reason, since: Timestamp, until: Timestamp? = nil) {
    self.destination = destination
    self.reason = reason
    self.since = since
    self.until = until
  }
}
