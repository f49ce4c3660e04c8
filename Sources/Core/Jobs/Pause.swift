public import Messages

/// A stop of one target, by a person or the daemon. It survives restarts, no probe passes it, and a person ends it; only the pause of a
/// late spool ends by itself.
public struct Pause: Hashable, Sendable {
  /// The things that can be paused.
  public enum Target: Hashable, Sendable {
    /// All jobs.
    case all
    /// All jobs and the claiming of files, because the ledger was lost in part. The daemon pauses this itself, and only a
    /// person ends it.
    case recovered
    /// The claiming of files. Jobs go on.
    case intake
    /// The jobs of a spool, by its name.
    case spool(String)
    /// Uploads to a storage, or registrations with a backend.
    case destination(Destination)
    /// The jobs of a spool whose claimed files are not all in the ledger yet, by its name. The daemon begins and ends it by itself.
    case late(String)

    /// The name that `held_by`, journal and ledger use: `all`, `recovered`, `intake`, `spool.NAME`, `storage.NAME`,
    /// `backend.NAME`, `late.NAME`.
    public var name: String {
      switch self {
      case .all: "all"
      case .recovered: "recovered"
      case .intake: "intake"
      case .spool(let name): "spool." + name
      case .destination(let destination): destination.text
      case .late(let name): "late." + name
      }
    }

    /// True if it holds every job.
    public var holdsAll: Bool { self == .all || self == .recovered }

    /// The spool whose jobs are held; nil if it is not one spool.
    public var spool: String? {
      switch self {
      case .spool(let name), .late(let name): name
      case .all, .recovered, .intake, .destination: nil
      }
    }

    /// True if a person began it, or must end it: it is listed among the pauses.
    public var isOfPeople: Bool { if case .late = self { false } else { true } }

    /// Reads a name, with a NAME that is not empty; nil if it names no target.
    public init?(name: String) {
      if let destination = Destination(name) {
        self = .destination(destination)
        return
      }
      let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch (parts[0], parts.count > 1 ? parts[1] : nil) {
      case ("all", nil): self = .all
      case ("recovered", nil): self = .recovered
      case ("intake", nil): self = .intake
      case ("spool", let name?) where !name.isEmpty: self = .spool(name)
      case ("late", let name?) where !name.isEmpty: self = .late(name)
      default: return nil
      }
    }
  }

  package var target: Target
  package var since: Timestamp
  package var by: Caller

  package init(_ target: Target, since: Timestamp, by: Caller) {
    self.target = target
    self.since = since
    self.by = by
  }

  /// Returns the pauses that hold the jobs of a spool at some destinations: of the late spool, `recovered`, all, the spool, and the
  /// destinations.
  public static func holding(spool: String, at destinations: [Destination], among pauses: [Pause]) -> [Pause] {
    if pauses.isEmpty { return [] }
    let targets: [Target] = [.late(spool), .recovered, .all, .spool(spool)] + destinations.map { .destination($0) }
    return targets.compactMap { target in pauses.first { $0.target == target } }
  }
}

/// A pause or a gate that keeps a job from starting.
public struct Hold: Hashable, Sendable {
  package var target: Pause.Target
  package var reason: Gate.Reason
  /// The wall-clock time of the pause, or at which the gate closed.
  public var since: Timestamp
  /// The time at which a probe is due, on the steady clock; nil if that does not depend on time.
  public var until: Timestamp?
  /// The user who paused it; nil for a gate, and for a pause that the daemon began.
  public var by: Caller?
  /// The reason of the last failed look at the gate's destination; nil if there is none.
  public var lastLook: Message?
}

extension Hold {
  /// The hold of a pause.
  public init(_ pause: Pause) {
    let by = pause.target == .recovered || !pause.target.isOfPeople ? nil : pause.by
    self.init(target: pause.target, reason: .paused, since: pause.since, by: by)
  }

  /// The hold of a gate; nil for one that is open.
  public init?(_ gate: Gate, at destination: Destination) {
    guard let closure = gate.closure else { return nil }
    self.init(
      target: .destination(destination), reason: closure.reason, since: closure.since, until: gate.until,
      lastLook: closure.lastLook)
  }
}
