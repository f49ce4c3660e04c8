/// Which jobs are meant: what is given has to hold, all of it.
public struct JobFilter: Hashable, Sendable {
  /// In one of these states.
  public var states: Set<State> = []
  /// At this step.
  public var step: Step?
  /// From this spool.
  public var spool: String?
  /// With a name that this shell pattern (`*`, `?`, `[…]`) matches.
  public var name: String?
  /// Whose last failure is of this kind, or has these words in it.
  public var error: String?
  /// Admitted at or after this.
  public var since: Timestamp?
  /// Admitted before this.
  public var until: Timestamp?

  /// All jobs.
  public init() {}

  /// Whether nothing is asked for, so that every job is meant.
  public var isEmpty: Bool { self == JobFilter() }
}

/// A job as people and programs name it.
public enum JobReference: Hashable, Sendable, CustomStringConvertible {
  /// By its number.
  case number(JobNumber)
  /// By its identity.
  case id(JobID)

  /// Reads a number or an identity; nil for anything else.
  public init?(_ text: some StringProtocol) {
    if let number = Int64(text), number > 0 {
      self = .number(JobNumber(rawValue: number))
    } else if let id = JobID(text) {
      self = .id(id)
    } else {
      return nil
    }
  }

  /// The number or the identity.
  public var description: String {
    switch self {
    case .number(let number): number.description
    case .id(let id): id.description
    }
  }
}
