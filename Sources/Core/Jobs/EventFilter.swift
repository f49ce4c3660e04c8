/// A choice of events of the log: every condition that is given must hold.
public struct EventFilter: Hashable, Sendable {
  /// The person who asked for a change.
  public enum Person: Hashable, Sendable {
    /// Any person: changes that the daemon made by itself are left out.
    case anyone
    /// One of these names or user ids in digits, as the event recorded them.
    case named(Set<String>)
  }

  /// It is of one of these hosts, by name or ledger: only a fleet has several.
  public var hosts: Set<String> = []
  /// A person asked for it.
  public var by: Person?
  /// The event has one of these names.
  public var events: Set<String> = []
  /// The event is of a job of this spool, of this spool itself, or a pause of it.
  public var spool: String?
  /// The event is of this destination, e.g. `storage.main`: of its gate, of a pause of it, or of a job's step there. It may be another
  /// thing that can be paused, e.g. `intake`. It is a text, because a search for an unknown name is valid and finds nothing.
  public var destination: String?
  /// The event is of a job whose file's name matches, as in ``JobFilter/name``.
  public var name: String?
  /// It happened at or after this time.
  public var since: Timestamp?
  /// It happened before this time.
  public var until: Timestamp?

  /// Creates a filter for all events.
  public init() {}

  /// True if there is no condition, so that it chooses every event.
  public var isEmpty: Bool { self == EventFilter() }
}
