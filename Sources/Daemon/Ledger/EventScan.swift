import Jobs
import Messages
import SQLite

/// Walks through the log of events, in either direction, and finds those that a filter chooses.
///
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
  /// Up to this sequence, the log has only actions of people and failures.
  private let horizon: Int64
  private let condition: EventCondition

  /// Begins a scan.
  ///
  /// - Parameters:
  ///   - after: the sequence at which the page before ended; nil for the first page.
  ///   - last: the last sequence that counts.
  init(
    _ filter: EventFilter, order: JobOrder, after: Int64?, last: Int64, in db: Database
  ) throws {
    (self.db, self.order) = (db, order)
    condition = EventCondition(filter)
    horizon = condition.wantsLastingAlone ? .max : last -| JobLedger.eventsKept
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
      guard let next = try next() else { return (events, nil) }
      let window =
        switch order {
        case .oldest: (after: next -| 1, upTo: min(upper, next -| 1 +| Self.window))
        case .newest: (after: max(lower, next -| Self.window), upTo: next)
        }
      for sequence in try sequences(after: window.after, upTo: window.upTo) {
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

  /// Returns the next sequence that is worth a look.
  private func next() throws -> Int64? {
    for part in parts(after: lower, upTo: upper) {
      let sql = condition.next(order, lasting: part.lasting)
      let next: Int64? = try db.value(sql, condition.ownArguments + [part.start, part.end])
      if let next { return next }
    }
    return nil
  }

  /// Returns the sequences of the chosen events among some, in the order of the scan.
  private func sequences(after start: Int64, upTo end: Int64) throws -> [Int64] {
    let found = try parts(after: start, upTo: end).flatMap { part -> [Int64] in
      let sql = condition.sequences(lasting: part.lasting)
      return try db.column(sql, condition.ownArguments + [part.start, part.end] + condition.arguments)
    }
    return order == .oldest ? found.sorted() : found.sorted(by: >)
  }

  /// The sequences before and after the horizon, in the order of the scan; `lasting` is true of those before it.
  private func parts(after start: Int64, upTo end: Int64) -> [(start: Int64, end: Int64, lasting: Bool)] {
    let (old, recent) = (
      (start: start, end: min(end, horizon), lasting: true), (start: max(start, horizon), end: end, lasting: false)
    )
    return (order == .oldest ? [old, recent] : [recent, old]).filter { $0.start < $0.end }
  }
}

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
  /// True if no event is wanted that a job which goes well has.
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
      // The second term is that of the index of events by people.
      addOwn("event.by_user IN (\(names.sorted().marks)) AND event.by_user IS NOT NULL", names.sorted())
    }
    if !filter.events.isEmpty { addOwn("event.kind IN (\(filter.events.sorted().marks))", filter.events.sorted()) }
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
    if let name = filter.name { add("lower(CAST(ticket.name AS TEXT)) GLOB lower(?)", [TextPattern.name(name)]) }
  }

  private mutating func addOwn(_ term: String, _ values: [any Bindable]) {
    own += "\(term) AND "
    ownArguments += values
  }

  private mutating func add(_ term: String, _ values: [any Bindable]) {
    others += " AND \(term)"
    arguments += values
  }

  /// The sequences of the events after a sequence and up to another. Parameters: ``ownArguments``, the two sequences,
  /// ``arguments``.
  ///
  /// - Parameter lasting: true to leave out the events that a job which goes well has.
  func sequences(lasting: Bool) -> String {
    "SELECT event.sequence FROM event LEFT JOIN job ON job.number = event.job "
      + "LEFT JOIN ticket ON ticket.job = event.job WHERE \(own)event.sequence > ? AND event.sequence <= ? AND \(Self.isMeant(lasting))\(others)"
  }

  /// The first or the last event, by the row alone, after a sequence and up to another. Parameters: ``ownArguments``, the two
  /// sequences.
  func next(_ order: JobOrder, lasting: Bool) -> String {
    // Nothing that people did is among the usual events, so the index of people has less.
    "SELECT event.sequence FROM event\(lasting && !isOfPeople ? " INDEXED BY event_lasting" : "") "
      + "WHERE \(own)event.sequence > ? AND event.sequence <= ? AND \(Self.isMeant(lasting)) "
      + "ORDER BY event.sequence\(order == .newest ? " DESC" : "") LIMIT 1"
  }

  /// An attempt that ended without an event has no kind.
  private static func isMeant(_ lasting: Bool) -> String {
    lasting ? LedgerSchema.Condition.lasting : "event.kind IS NOT NULL"
  }
}
