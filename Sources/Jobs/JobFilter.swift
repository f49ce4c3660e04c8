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
