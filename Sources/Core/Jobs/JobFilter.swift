/// A choice of jobs: every condition that is given must hold.
public struct JobFilter: Hashable, Sendable {
  /// The job is of one of these hosts, by name or ledger: only a fleet has several.
  public var hosts: Set<String> = []
  /// The job is in one of these states.
  public var states: Set<JobState> = []
  /// The job is at this step.
  public var step: Step?
  /// The job is from this spool.
  public var spool: String?
  /// The job's file name matches this shell pattern (`*`, `?`, `[…]`), or contains this text if it has no wildcard. Case does
  /// not matter.
  public var name: String?
  /// The job's last failure is of this kind, or its words contain this text. Case does not matter, and `…` stands for any text.
  public var error: String?
  /// The job was admitted at or after this time.
  public var since: Timestamp?
  /// The job was admitted before this time.
  public var until: Timestamp?

  /// The job is in the same state and step as this job, for the same reason.
  public var like: JobNumber?

  /// Creates a filter for all jobs.
  public init() {}

  /// True if there is no condition: every job fits.
  public var isEmpty: Bool { self == JobFilter() }
}

/// The order in which jobs are listed.
public enum JobOrder: String, Sendable, CaseIterable {
  /// Ascending by number.
  case oldest
  /// Descending by number.
  case newest
}
