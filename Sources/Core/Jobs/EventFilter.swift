/// A choice of events of the log: every condition that is given must hold.
public struct EventFilter: Hashable, Sendable {
  /// The person who asked for a change.
  public enum Person: Hashable, Sendable {
    /// Any person: changes that the daemon made by itself are left out.
    case anyone
    /// One of these names or user ids in digits, as the event recorded them.
    case named(Set<String>)
  }

  /// The event is of one of these hosts, by name or ledger: only a fleet has several.
  public var hosts: Set<String> = []
  /// A person asked for the change.
  public var by: Person?
  /// The event has one of these names.
  public var events: Set<String> = []
  /// The event is of a job of this spool, of this spool itself, or a pause of it.
  public var spool: String?
  /// The event is of this destination, e.g. `storage.main`: of its gate, of a pause of it, or of a job's step there. The text may also be
  /// another target of a pause, e.g. `intake`, or an unknown name, which finds nothing.
  public var destination: String?
  /// The event is of a job whose file's name matches, as in ``JobFilter/name``.
  public var name: String?
  /// The event happened at or after this time.
  public var since: Timestamp?
  /// The event happened before this time.
  public var until: Timestamp?

  /// Creates a filter for all events.
  public init() {}

  /// True if there is no condition: every event fits.
  public var isEmpty: Bool { self == EventFilter() }
}
