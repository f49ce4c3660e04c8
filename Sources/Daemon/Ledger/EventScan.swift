import Jobs
import Messages
import SQLite

/// Walks through the log of events, in either direction, and finds those that a filter chooses.
/// It reads one window of sequences after the other, and stops after ``mostWindows``: so a filter that finds little does not occupy a
/// reader's connection for long.
struct EventScan {
  /// The number of sequences that are read at a time.
  static let window: Int64 = 1024
  /// The most windows of one page.
  static let mostWindows = 16

  /// The events of a page, and the sequence from which to go on; nil if the end was reached.
  typealias Page = (events: [LoggedEvent], next: Int64?)

  private let db: Database
  private let order: JobOrder
  /// All events that are still to be read are after this sequence.
  private var lower: Int64
  /// None of them is after this sequence.
  private var upper: Int64
  private let condition: EventCondition

  /// `after`: the sequence at which the page before ended; nil for the first page; `last`: the last sequence that counts.
  init(
    _ filter: EventFilter, order: JobOrder, after: Int64?, last: Int64, in db: Database
  ) throws {
    (self.db, self.order) = (db, order)
    condition = EventCondition(filter, order)
    lower = try filter.since.map { try JobLedger.lastEvent(before: $0, in: db) } ?? 0
    upper = last
    switch order {
    case .oldest: lower = max(lower, after ?? 0)
    case .newest: upper = min(upper, after.map { $0 -| 1 } ?? .max)
    }
  }

  /// Reads the next events, at most `limit`.
  mutating func page(limit: Int) throws -> Page {
    var events: [LoggedEvent] = []
    for _ in 0..<Self.mostWindows {
      guard lower < upper, let next: Int64 = try db.value(condition.next, condition.ofNext + [lower, upper]) else {
        return (events, nil)
      }
      let window =
        switch order {
        case .oldest: (after: next -| 1, upTo: min(upper, next -| 1 +| Self.window))
        case .newest: (after: max(lower, next -| Self.window), upTo: next)
        }
      let found: [Int64] = try db.column(
        condition.sequences, condition.ofRow + [window.after, window.upTo] + condition.ofJob)
      for sequence in found {
        guard let event = try JobLedger.event(sequence, in: db) else { continue }
        events.append(event)
        if events.count == limit {
          pass(after: sequence -| 1, upTo: sequence)
          return (events, position)
        }
      }
      pass(after: window.after, upTo: window.upTo)
    }
    return (events, position)
  }

  /// The place from which the next page goes on; nil at the end.
  private var position: Int64? {
    guard lower < upper else { return nil }
    return order == .oldest ? lower : upper +| 1
  }

  /// Moves past these sequences, in the direction of the scan.
  private mutating func pass(after start: Int64, upTo end: Int64) {
    switch order {
    case .oldest: lower = end
    case .newest: upper = start
    }
  }
}

/// An ``EventFilter`` as SQL.
struct EventCondition {
  /// Finds where the next window begins, after a sequence and up to another. Parameters: ``ofNext``, the two sequences.
  private(set) var next = ""
  /// Finds the events after a sequence and up to another. Parameters: ``ofRow``, the two sequences, ``ofJob``.
  private(set) var sequences = ""
  /// The values of the conditions by which an index finds the next event; none if no index does.
  private(set) var ofNext: [(any Bindable)?] = []
  /// The values of the conditions on the row alone.
  private(set) var ofRow: [(any Bindable)?] = []
  /// The values of the conditions that need the job.
  private(set) var ofJob: [(any Bindable)?] = []

  init(_ filter: EventFilter, _ order: JobOrder) {
    /// The conditions on the row alone, each with an `AND` behind it, and those that need the job, each with an `AND` before it.
    var (row, job) = ("", "")
    func addRow(_ term: String, _ values: [any Bindable]) {
      row += "\(term) AND "
      ofRow += values
    }
    func addJob(_ term: String, _ values: [any Bindable]) {
      job += " AND \(term)"
      ofJob += values
    }
    switch filter.by {
    case nil: break
    case .anyone: addRow("+detail.by_user IS NOT NULL", [])  // in the order of the sequences, not of the names
    case .named(let names):
      // The second term is that of the index of events by people.
      addRow("detail.by_user IN (\(names.sorted().marks)) AND detail.by_user IS NOT NULL", names.sorted())
    }
    if !filter.events.isEmpty { addRow("event.kind IN (\(filter.events.sorted().marks))", filter.events.sorted()) }
    if let since = filter.since { addRow("event.at >= ?", [since.microseconds]) }
    if let until = filter.until { addRow("event.at < ?", [until.microseconds]) }
    if let spool = filter.spool {
      addJob(
        "(job.spool = ? OR detail.spool = ? OR detail.destination = ?)", [spool, spool, Pause.Target.spool(spool).name])
    }
    if let destination = filter.destination {
      addJob(
        "(? IN (detail.destination, detail.failure_grantor) OR CASE event.step WHEN 'upload' THEN 'storage.' || ticket.storage "
          + "WHEN 'register' THEN 'backend.' || ticket.backend END = ?)", [destination, destination])
    }
    if let name = filter.name { addJob("lower(CAST(ticket.name AS TEXT)) GLOB lower(?)", [TextPattern.name(name)]) }

    // Nothing that people did is among the usual events.
    let usual = JobEvent.Kind.usual.map(\.rawValue)
    let hasDetails = filter.by != nil || !filter.events.isEmpty && filter.events.isDisjoint(with: usual)
    if hasDetails { ofNext = ofRow }
    let (tables, table) = hasDetails ? (EventRow.ofDetails, "detail") : (EventRow.withDetails, "event")
    let sequence = "\(table).sequence"
    let range = "\(sequence) > ? AND \(sequence) <= ?"
    // An attempt that ended without an event has no kind.
    let found = "\(row)\(range) AND event.kind IS NOT NULL"
    let ordered = "ORDER BY \(sequence)\(order == .newest ? " DESC" : "")"
    let start = hasDetails ? "\(tables) WHERE \(found)" : "event WHERE \(range)"
    next = "SELECT \(sequence) FROM \(start) \(ordered) LIMIT 1"
    sequences = """
      SELECT \(sequence) FROM \(tables) LEFT JOIN job ON job.number = event.job \
      LEFT JOIN ticket ON ticket.job = event.job WHERE \(found)\(job) \(ordered)
      """
  }
}
