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
    var filter = filter
    if case .named(let names)? = filter.by { filter.by = .named(try Self.withFleet(names, in: db)) }
    condition = EventCondition(filter)
    horizon = condition.wantsLastingAlone ? .max : last -| JobLedger.eventsKept
    lower = try filter.since.map { try JobLedger.lastEvent(before: $0, in: db) } ?? 0
    upper = last
    switch order {
    case .oldest: lower = max(lower, after ?? 0)
    case .newest: upper = min(upper, after.map { $0 -| 1 } ?? .max)
    }
  }

  /// The most roles that are looked for with the name of a person of the fleet.
  private static let mostRoles = 64

  /// Returns the same names, and those of the same people in the fleet, e.g. `anna (fleet, role ops)`.
  private static func withFleet(_ names: Set<String>, in db: Database) throws -> Set<String> {
    var all = names
    for name in names {
      let beginning = name + " (fleet"
      let found: [String] = try db.column(
        "SELECT DISTINCT by_user FROM event WHERE by_user >= ? AND by_user < ? AND by_user IS NOT NULL LIMIT ?",
        [beginning, beginning + "\u{10FFFF}", mostRoles])
      all.formUnion(found.filter { $0 == beginning + ")" || $0.hasPrefix(beginning + ", role ") })
    }
    return all
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
