public import Jobs
import SQLite

extension JobLedger {
  /// The number of the latest events from which a reader can resume. Older events stay in each job's history; older events that
  /// concern no job are removed.
  public static let eventsKept: Int64 = 100_000

  /// Returns the events after a given one, in order, at most `limit`. The changing facts of a job are as they were then; the
  /// rest is as it is now.
  ///
  /// - Returns: the events, and the sequence up to which all were read: events of jobs that have left are skipped.
  public func events(after sequence: Int64, limit: Int) async throws -> (events: [LoggedEvent], upTo: Int64) {
    try await read { db in
      let logged = try Self.logged(after: sequence, limit: limit, in: db)
      let written = try Self.written(after: sequence, limit: limit, in: db)
      // beyond the end of a list that was cut, events of that list are missing
      let upTo = [logged.upTo, written.upTo].compactMap(\.self).min()
      let all = (logged.events + written.events).filter { $0.sequence <= upTo ?? .max }
        .sorted { $0.sequence < $1.sequence }
      let page = all.prefix(limit)
      let end = page.count < all.count ? page.last?.sequence : upTo ?? all.last?.sequence
      return (page.compactMap(\.event), end ?? sequence)
    }
  }

  /// Events of one table; an event is nil if its job has left.
  private struct Listing {
    var events: [(sequence: Int64, event: LoggedEvent?)] = []
    /// The sequence up to which all were read; nil if there are no more.
    var upTo: Int64?
  }

  /// Reads events that facts imply.
  private static func logged(after sequence: Int64, limit: Int, in db: Database) throws -> Listing {
    let commits = try LogRow.read(after: sequence, limit: limit, in: db)
    var listing = Listing()
    listing.upTo = commits.count == limit ? commits.last?.sequence : nil
    var entries = commits.flatMap(\.entries).filter { $0.kind.isEvent && $0.value > sequence }
    if entries.count > limit {
      entries.removeSubrange(limit...)
      listing.upTo = entries.last?.value
    }
    // most jobs of a page have several events in it
    let numbers = Array(Set(entries.map(\.job)))
    let jobs = Dictionary(uniqueKeysWithValues: try JobRow.jobs(numbers, in: db).map { ($0.number, $0) })
    let histories = try FactHistory.all(of: numbers, in: db)
    listing.events = entries.map { entry in
      let event = jobs[entry.job].flatMap { histories[entry.job]?.event(entry, of: $0) }
      return (entry.value, event.map(LoggedEvent.job))
    }
    return listing
  }

  /// Reads events that have rows of their own.
  private static func written(after sequence: Int64, limit: Int, in db: Database) throws -> Listing {
    let events = try db.all(
      """
      SELECT \(EventRow.columns), job, \(OccurrenceRow.columns) FROM event WHERE sequence > ? \
      ORDER BY sequence LIMIT ?
      """, [sequence, limit]
    ) { row -> (sequence: Int64, event: LoggedEvent?) in
      let sequence: Int64 = row[0]
      let number: Int64? = row[EventRow.end]
      guard let number else {
        let occurrence = try OccurrenceRow.occurrence(
          row, at: EventRow.end + 1, sequence: sequence, EventRow.head(row))
        return (sequence, .occurrence(occurrence))
      }
      let job = try JobRow.job(JobNumber(rawValue: number), in: db)
      return (sequence, try job.map { .job(try EventRow.event(row, of: $0)) })
    }
    return Listing(events: events, upTo: events.count == limit ? events.last?.sequence : nil)
  }

  /// Returns a page of the events that a filter chooses.
  ///
  /// The log has the last ``eventsKept`` events. What people did with a job, and what failed, stays for as long as the job.
  /// - Parameters:
  ///   - after: `next` of the page before; nil for the first page.
  ///   - limit: the most events of the page. It may have fewer although more follow, because a page reads only so much.
  /// - Returns: the events in the order asked for, the place from which to go on (nil at the end), and the sequence of the last
  ///   event that there was: readers of the stream go on after it.
  public func log(
    _ filter: EventFilter, order: JobOrder, after: Int64? = nil, limit: Int
  ) async throws -> (events: [LoggedEvent], next: Int64?, last: Int64) {
    let last = counts.lastEvent
    let page = try await read { db in
      try EventScan(filter, order: order, after: after, last: last, in: db).page(order, limit: limit)
    }
    return (page.events, page.next, last)
  }

  /// Returns the event of a sequence, if it has a row of its own; nil if it has none, or if its job has left.
  static func writtenEvent(_ sequence: Int64, in db: Database) throws -> LoggedEvent? {
    try written(after: sequence - 1, limit: 1, in: db).events.first { $0.sequence == sequence }?.event
  }

  /// Notes an event that concerns no job. Nobody waits for it; it is lost if the ledger is never written again.
  public func record(_ occurrence: Occurrence) {
    writer.record { batch in try batch.record(occurrence) }
  }

  /// Notes an event that concerns no job, and returns once it is durable.
  public func tell(_ occurrence: Occurrence) async throws {
    try await writer.perform { batch in try batch.record(occurrence) }
  }

  /// Returns the sequence of the last event before a time: the events after it happened since then.
  public func lastEvent(before time: Timestamp) async throws -> Int64 {
    try await read { db in try Self.lastEvent(before: time, in: db) }
  }

  /// The same, of a connection.
  static func lastEvent(before time: Timestamp, in db: Database) throws -> Int64 {
    // Sequences grow with time, unless a clock was set; so the newest one that is old enough is looked for.
    // Trouble with the ledger is written afterwards, later than younger events.
    let written: Int64? = try db.value(
      "SELECT sequence FROM event WHERE at < ? AND kind <> ? ORDER BY sequence DESC LIMIT 1",
      [time.microseconds, Occurrence.Kind.ledgerProblem.rawValue])
    return max(written ?? 0, try LogRow.last(before: time, in: db) ?? 0)
  }
}
