import Jobs
import Messages
import SQLite

/// Walks through the log of events, in either direction, and finds those that a filter chooses.
///
/// It reads one window of sequences after the other, and stops after ``mostWindows``: a filter that finds little does not hold
/// a reader's connection for long.
struct EventScan {
  /// The number of sequences that are read at a time.
  static let window: Int64 = 1024
  /// The most windows of one page.
  static let mostWindows = 16

  /// The events of a page, and the sequence from which to go on; nil if the end was reached.
  typealias Page = (events: [LoggedEvent], next: Int64?)

  let db: Database
  /// All events are after this sequence.
  private var lower: Int64
  /// No event is after this sequence.
  private var upper: Int64
  /// Up to this sequence, only what people did and what went wrong is in the log.
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
    self.db = db
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

  /// The most roles by which a person has come through the fleet that are looked for.
  private static let mostRoles = 64

  /// Returns the same names, with those that their people have if they came through the fleet, e.g. `anna (fleet, role ops)`.
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
  func page(_ order: JobOrder, limit: Int) throws -> Page {
    switch order {
    case .oldest: try oldest(limit)
    case .newest: try newest(limit)
    }
  }

  private func oldest(_ limit: Int) throws -> Page {
    var events: [LoggedEvent] = []
    var position = lower
    for _ in 0..<Self.mostWindows {
      guard position < upper, let first = try next(after: position) else { return (events, nil) }
      let end = min(upper, first -| 1 +| Self.window)
      for sequence in try sequences(after: first -| 1, upTo: end).sorted() {
        guard let event = try JobLedger.event(sequence, in: db) else { continue }
        events.append(event)
        if events.count == limit { return (events, sequence < upper ? sequence : nil) }
      }
      position = end
    }
    return (events, position < upper ? position : nil)
  }

  private func newest(_ limit: Int) throws -> Page {
    var events: [LoggedEvent] = []
    var position = upper
    for _ in 0..<Self.mostWindows {
      guard position > lower, let last = try next(upTo: position) else { return (events, nil) }
      let start = max(lower, last -| Self.window)
      for sequence in try sequences(after: start, upTo: last).sorted(by: >) {
        guard let event = try JobLedger.event(sequence, in: db) else { continue }
        events.append(event)
        if events.count == limit { return (events, sequence > lower +| 1 ? sequence : nil) }
      }
      position = start
    }
    return (events, position > lower ? position +| 1 : nil)
  }

  /// Returns the first sequence after this one that is worth a look.
  private func next(after sequence: Int64) throws -> Int64? {
    if let old = try first(.oldest, after: sequence, upTo: min(upper, horizon), lasting: true) { return old }
    return try first(.oldest, after: max(sequence, horizon), upTo: upper, lasting: false)
  }

  /// Returns the last sequence up to this one that is worth a look.
  private func next(upTo sequence: Int64) throws -> Int64? {
    if let new = try first(.newest, after: max(lower, horizon), upTo: sequence, lasting: false) { return new }
    return try first(.newest, after: lower, upTo: min(sequence, horizon), lasting: true)
  }

  private func first(_ order: JobOrder, after start: Int64, upTo end: Int64, lasting: Bool) throws -> Int64? {
    guard start < end else { return nil }
    return try db.value(condition.next(order, lasting: lasting), condition.ownArguments + [start, end])
  }

  private func sequences(after start: Int64, upTo end: Int64) throws -> [Int64] {
    try [(start, min(end, horizon), true), (max(start, horizon), end, false)].flatMap { start, end, lasting in
      guard start < end else { return [] as [Int64] }
      let sql = condition.sequences(lasting: lasting)
      return try db.column(sql, condition.ownArguments + [start, end] + condition.arguments)
    }
  }
}
