package import Jobs
import Messages
import SQLite

extension JobLedger {
  /// The number of the latest events from which a reader can resume. Older events stay in each job's history; older events that
  /// concern no job are removed.
  package static let eventsKept: Int64 = 100_000

  /// Returns the events after a given one, in order, at most `limit`, and the sequence up to which all were read: events of jobs that have
  /// left are skipped. The changing facts of a job are as they were then; the rest is as it is now. The sequence is never beyond the last
  /// event of ``counts``: a reader that returned with a later one would seem to come from another ledger.
  package func events(after sequence: Int64, limit: Int) async throws -> (events: [LoggedEvent], upTo: Int64) {
    let (events, end, _) = try await changes(after: sequence, limit: limit)
    return (events, end)
  }

  /// Returns the same, and the given jobs that exist, from one state of the ledger: the data that a copy lacks.
  /// `numbers`: the jobs; nil for the events alone. With jobs, the events of a normal course are left out: the jobs show them.
  package func changes(
    after sequence: Int64, limit: Int, of numbers: [JobNumber]? = nil
  ) async throws -> (events: [LoggedEvent], upTo: Int64, jobs: [Job]) {
    // a commit is in the file a moment before the counts have it
    let last = counts.lastEvent
    return try await read { db in
      let jobs = try JobRow.jobs(numbers ?? [], in: db)
      let known = Dictionary(jobs.map { ($0.number, $0) }) { first, _ in first }
      let rows = try Self.rows(after: sequence, upTo: last, limit: limit, lasting: numbers != nil, known: known, in: db)
      let end = rows.count < limit ? max(sequence, last) : rows.last?.sequence ?? sequence
      return (rows.compactMap(\.event), end, jobs)
    }
  }

  /// Reads rows of events; one has no event if its job has left, or if it only has an attempt.
  /// `lasting` leaves out the events that a job which goes well has; `known` are jobs that were read already.
  private static func rows(
    after sequence: Int64, upTo last: Int64, limit: Int, lasting: Bool = false, known: [JobNumber: Job?] = [:],
    in db: Database
  ) throws -> [(sequence: Int64, event: LoggedEvent?)] {
    // most jobs of a page have several events in it
    var jobs = known
    let (tables, table) = lasting ? (EventRow.ofDetails, "detail") : (EventRow.withDetails, "event")
    return try db.all(
      """
      \(EventRow.select) \(tables) WHERE \(table).sequence > ? AND \(table).sequence <= ? \
      \(lasting ? "AND kind IS NOT NULL " : "")ORDER BY \(table).sequence LIMIT ?
      """, [sequence, last, limit]
    ) { row in
      try EventRow.entry(row) { number in
        if jobs[number] == nil { jobs[number] = try JobRow.job(number, in: db) }
        return jobs[number, default: nil]
      }
    }
  }

  /// Returns a page of the events that a filter chooses.
  /// A page may have fewer than `limit` although more follow, because it reads only so much.
  /// Returns the events, the place from which to go on (nil at the end), and the sequence of the last event, from which a reader of
  /// the stream continues.
  package func log(
    _ filter: EventFilter, order: JobOrder, after: Int64? = nil, limit: Int
  ) async throws -> (events: [LoggedEvent], next: Int64?, last: Int64) {
    let last = counts.lastEvent
    let page = try await read { db in
      var scan = try EventScan(filter, order: order, after: after, last: last, in: db)
      return try scan.page(limit: limit)
    }
    return (page.events, page.next, last)
  }

  /// Returns the event of a sequence; nil if there is none, or if its job has left.
  static func event(_ sequence: Int64, in db: Database) throws -> LoggedEvent? {
    try rows(after: sequence -| 1, upTo: sequence, limit: 1, in: db).first?.event
  }

  /// Notes an event that concerns no job, without waiting for the commit. It is lost if the ledger is never written again.
  package func record(_ occurrence: Occurrence) {
    writer.record { batch in try batch.record(occurrence) }
  }

  /// Returns the number of registrations in each minute since a time, with the time of the minute's first one, as far as the last
  /// ``eventsKept`` events tell. The calling thread waits.
  package func registrations(since time: Timestamp) throws -> [(at: Timestamp, count: Int)] {
    let (now, horizon) = (clock.now().microseconds, counts.lastEvent -| Self.eventsKept)
    return try readNow { db in
      let start = max(horizon, try Self.lastEvent(before: time, in: db))
      return try db.all(Self.selectRegistrations, [start, time.microseconds, now]) { row in
        let (at, count): (Int64, Int64) = (row[0], row[1])
        return (at: Timestamp(microseconds: at), count: Int(count))
      }
    }
  }

  static let selectRegistrations = """
    SELECT min(at), count(*) FROM event WHERE sequence > ? AND at BETWEEN ? AND ? AND kind = 'registered' GROUP BY at / 60000000
    """

  package func lastEvent(before time: Timestamp) async throws -> Int64 {
    try await read { db in try Self.lastEvent(before: time, in: db) }
  }

  /// Returns the sequence of the last event before a time: the events after it happened since then.
  static func lastEvent(before time: Timestamp, in db: Database) throws -> Int64 {
    // Sequences grow with time, unless a clock was set. Trouble with the ledger is written afterwards, later than younger events.
    let problem = Occurrence.Kind.ledgerProblem.rawValue
    let select = "SELECT sequence, at FROM event WHERE sequence > ? AND kind <> '\(problem)'"
    func first(after sequence: Int64, _ order: String = "") throws -> (sequence: Int64, at: Int64)? {
      try db.first("\(select) ORDER BY sequence \(order) LIMIT 1", [sequence]) { row in (row[0], row[1]) }
    }
    guard let last = try first(after: 0, "DESC") else { return 0 }
    var (low, high) = (Int64(0), last.sequence)
    while low < high {
      let middle = low + (high - low) / 2
      // An event that is dated a day after the last one is from before a clock was set back.
      if let next = try first(after: middle), next.sequence <= high,
        next.at < time.microseconds || next.at > last.at +| 86_400_000_000
      {
        low = next.sequence
      } else {
        high = middle
      }
    }
    return low
  }
}
