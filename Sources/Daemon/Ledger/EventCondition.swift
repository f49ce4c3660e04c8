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
  private let filter: EventFilter
  private let pattern: String?

  init(_ filter: EventFilter) {
    self.filter = filter
    pattern = filter.name.map(TextPattern.name)
    switch filter.by {
    case nil: break
    case .anyone: addOwn("event.by_user IS NOT NULL", [])
    case .named(let names):
      // The second term is that of the index of events by people.
      addOwn("event.by_user IN (\(Self.marks(names.count))) AND event.by_user IS NOT NULL", names.sorted())
    }
    if !filter.events.isEmpty { addOwn("event.kind IN (\(Self.marks(filter.events.count)))", filter.events.sorted()) }
    if let since = filter.since { addOwn("event.at >= ?", [since.microseconds]) }
    if let until = filter.until { addOwn("event.at < ?", [until.microseconds]) }
    if let spool = filter.spool {
      add("(job.spool = ? OR event.spool = ? OR event.destination = ?)", [spool, spool, "spool." + spool])
    }
    if let destination = filter.destination {
      add(
        "(event.destination = ? OR CASE event.step WHEN 'upload' THEN 'storage.' || job.storage "
          + "WHEN 'register' THEN 'backend.' || job.backend END = ?)", [destination, destination])
    }
    if let pattern { add("CAST(job.name AS TEXT) GLOB ?", [pattern]) }
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
  var written: String {
    "SELECT event.sequence FROM event LEFT JOIN job ON job.number = event.job "
      + "WHERE \(own)event.sequence > ? AND event.sequence <= ?\(others)"
  }

  /// The first or the last event, by the row alone, after a sequence and up to another. Parameters: ``ownArguments``, the two
  /// sequences.
  func next(_ order: JobOrder) -> String {
    "SELECT event.sequence FROM event WHERE \(own)event.sequence > ? AND event.sequence <= ? "
      + "ORDER BY event.sequence\(order == .newest ? " DESC" : "") LIMIT 1"
  }

  /// A query that has a row if a job fits, for an event at a step; nil if all jobs fit. Its first parameter is the job's number.
  func job(at step: Step) -> (sql: String, arguments: [(any Bindable)?])? {
    var terms: [String] = []
    var values: [(any Bindable)?] = []
    if let spool = filter.spool {
      terms.append("spool = ?")
      values.append(spool)
    }
    if let destination = filter.destination {
      terms.append(step == .upload ? "'storage.' || storage = ?" : "'backend.' || backend = ?")
      values.append(destination)
    }
    if let pattern {
      terms.append("CAST(name AS TEXT) GLOB ?")
      values.append(pattern)
    }
    guard !terms.isEmpty else { return nil }
    return ("SELECT 1 FROM job WHERE number = ? AND \(terms.joined(separator: " AND "))", values)
  }
}
