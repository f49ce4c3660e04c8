import Jobs
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

  /// An event that was found, without its facts.
  private struct Find {
    let sequence: Int64
    /// The entry of the log that implies it; nil for an event with a row of its own.
    let entry: LogEntry?
  }

  let db: Database
  let filter: EventFilter
  /// All events are after this sequence.
  private var lower: Int64
  /// No event is after this sequence.
  private var upper: Int64
  /// The kinds of entries that are looked for.
  private let kinds: [LogEntry.Kind]
  /// The sequences that the log has.
  private var logged: ClosedRange<Int64>?
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
    self.filter = filter
    condition = EventCondition(filter)
    // Nobody asked for what facts imply.
    kinds =
      filter.by == nil
      ? [.admitted, .uploaded, .registered].filter { kind in
        filter.events.isEmpty || kind.event.map { filter.events.contains($0.kind.rawValue) } == true
      } : []
    lower = try filter.since.map { try JobLedger.lastEvent(before: $0, in: db) } ?? 0
    upper = last
    switch order {
    case .oldest: lower = max(lower, after ?? 0)
    case .newest: upper = min(upper, after.map { $0 - 1 } ?? .max)
    }
    guard !kinds.isEmpty, let first = try LogRow.read(after: 0, limit: 1, in: db).first,
      var end = try LogRow.last(db)
    else { return }
    if let until = filter.until { end = min(end, try Self.last(before: until, in: db)) }
    let least = first.entries.lazy.filter(\.kind.isEvent).map(\.value).min() ?? first.sequence
    if least <= end { logged = least...end }
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

  /// Returns the last sequence at which the log may have an event from before a time. A row has the time of its commit, and an
  /// event that happened before that time may be in the next one.
  private static func last(before time: Timestamp, in db: Database) throws -> Int64 {
    let last = try JobLedger.lastEvent(before: time, in: db)
    return try LogRow.read(after: last, limit: 2, in: db).last?.sequence ?? .max
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
      let end = min(upper, first - 1 + Self.window)
      for find in try finds(after: first - 1, upTo: end).sorted(by: { $0.sequence < $1.sequence }) {
        guard let event = try event(find) else { continue }
        events.append(event)
        if events.count == limit { return (events, find.sequence < upper ? find.sequence : nil) }
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
      let start = max(lower, last - Self.window)
      for find in try finds(after: start, upTo: last).sorted(by: { $0.sequence > $1.sequence }) {
        guard let event = try event(find) else { continue }
        events.append(event)
        if events.count == limit { return (events, find.sequence > lower + 1 ? find.sequence : nil) }
      }
      position = start
    }
    return (events, position > lower ? position + 1 : nil)
  }

  /// Returns the first sequence after this one that is worth a look.
  private func next(after sequence: Int64) throws -> Int64? {
    let written: Int64? = try db.value(
      condition.next(.oldest), condition.ownArguments + [sequence, upper])
    let log = logged.flatMap { $0.upperBound > sequence ? max(sequence + 1, $0.lowerBound) : nil }
    return [written, log].compactMap(\.self).min()
  }

  /// Returns the last sequence up to this one that is worth a look.
  private func next(upTo sequence: Int64) throws -> Int64? {
    let written: Int64? = try db.value(
      condition.next(.newest), condition.ownArguments + [lower, sequence])
    let log = logged.flatMap { $0.lowerBound <= sequence ? min(sequence, $0.upperBound) : nil }
    return [written, log].compactMap(\.self).max()
  }

  private func finds(after start: Int64, upTo end: Int64) throws -> [Find] {
    let written = try db.all(condition.written, condition.ownArguments + [start, end] + condition.arguments) { row in
      Find(sequence: row[0], entry: nil)
    }
    guard let logged, logged.overlaps(start + 1...max(start + 1, end)) else { return written }
    let entries = try LogRow.read(after: start, through: end, in: db).flatMap(\.entries).filter {
      kinds.contains($0.kind) && $0.value > start && $0.value <= end
    }
    return try written + entries.compactMap { try isOfChosenJob($0) ? Find(sequence: $0.value, entry: $0) : nil }
  }

  /// Returns true if the job of an entry fits; for one that has left it does not matter.
  private func isOfChosenJob(_ entry: LogEntry) throws -> Bool {
    guard let query = condition.job(at: entry.kind.event?.step ?? .upload) else { return true }
    return try db.first(query.sql, [entry.job.rawValue] + query.arguments) { _ in true } ?? false
  }

  /// Reads an event as a whole; nil if its job has left, or if it happened at another time.
  private func event(_ find: Find) throws -> LoggedEvent? {
    guard let entry = find.entry else { return try JobLedger.writtenEvent(find.sequence, in: db) }
    guard let job = try JobRow.job(entry.job, in: db),
      let event = try FactHistory(of: entry.job, in: db)?.event(entry, of: job)
    else { return nil }
    if let since = filter.since, event.at < since { return nil }
    if let until = filter.until, event.at >= until { return nil }
    return .job(event)
  }
}
