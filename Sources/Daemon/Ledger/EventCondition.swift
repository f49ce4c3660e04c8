import Jobs
import SQLite

/// An ``EventFilter`` as SQL.
struct EventCondition {
  /// The conditions on the row alone, each with an `AND` behind it.
  private var own = ""
  /// The values of those.
  private(set) var ownArguments: [(any Bindable)?] = []
  /// The conditions that need the job, each with an `AND` before it.
  private var others = ""
  /// The values of those.
  private(set) var arguments: [(any Bindable)?] = []
  /// True if the filter excludes all events of jobs that go well.
  let wantsLastingAlone: Bool
  private let isOfPeople: Bool

  init(_ filter: EventFilter) {
    let usual: Set<String> = [
      JobEvent.Kind.admitted.rawValue, JobEvent.Kind.uploaded.rawValue, JobEvent.Kind.registered.rawValue,
    ]
    wantsLastingAlone = !filter.events.isEmpty && filter.events.isDisjoint(with: usual)
    isOfPeople = filter.by != nil
    switch filter.by {
    case nil: break
    case .anyone: addOwn("event.by_user IS NOT NULL", [])
    case .named(let names):
      // The second term matches the index of events by people.
      addOwn("event.by_user IN (\(Self.marks(names.count))) AND event.by_user IS NOT NULL", names.sorted())
    }
    if !filter.events.isEmpty { addOwn("event.kind IN (\(Self.marks(filter.events.count)))", filter.events.sorted()) }
    if let since = filter.since { addOwn("event.at >= ?", [since.microseconds]) }
    if let until = filter.until { addOwn("event.at < ?", [until.microseconds]) }
    if let spool = filter.spool {
      add(
        "(job.spool = ? OR event.spool = ? OR event.destination = ?)", [spool, spool, Pause.Target.spool(spool).name])
    }
    if let destination = filter.destination {
      add(
        "(event.destination = ? OR CASE event.step WHEN 'upload' THEN 'storage.' || ticket.storage "
          + "WHEN 'register' THEN 'backend.' || ticket.backend END = ?)", [destination, destination])
    }
    if let name = filter.name { add("CAST(ticket.name AS TEXT) GLOB ?", [TextPattern.name(name)]) }
  }

  private mutating func addOwn(_ term: String, _ values: [any Bindable]) {
    own += "\(term) AND "
    ownArguments += values
  }

  private mutating func add(_ term: String, _ values: [any Bindable]) {
    others += " AND \(term)"
    arguments += values
  }

  private static func marks(_ count: Int) -> String { [String](repeating: "?", count: count).joined(separator: ", ") }

  /// The sequences of the events after a sequence and up to another. Parameters: ``ownArguments``, the two sequences,
  /// ``arguments``.
  ///
  /// - Parameter lasting: true to leave out the events of jobs that go well.
  func sequences(lasting: Bool) -> String {
    "SELECT event.sequence FROM event LEFT JOIN job ON job.number = event.job "
      + "LEFT JOIN ticket ON ticket.job = event.job WHERE \(own)event.sequence > ? AND event.sequence <= ? AND \(Self.isMeant(lasting))\(others)"
  }

  /// The first or the last event, by the row alone, after a sequence and up to another. Parameters: ``ownArguments``, the two
  /// sequences.
  func next(_ order: JobOrder, lasting: Bool) -> String {
    // People cause none of the usual events, so the index of people is smaller.
    "SELECT event.sequence FROM event\(lasting && !isOfPeople ? " INDEXED BY event_lasting" : "") "
      + "WHERE \(own)event.sequence > ? AND event.sequence <= ? AND \(Self.isMeant(lasting)) "
      + "ORDER BY event.sequence\(order == .newest ? " DESC" : "") LIMIT 1"
  }

  /// An attempt that ended without an event has no kind.
  private static func isMeant(_ lasting: Bool) -> String {
    lasting ? LedgerSchema.Condition.lasting : "event.kind IS NOT NULL"
  }
}
