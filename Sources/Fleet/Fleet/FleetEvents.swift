import ControlAPI
import ControlServer
import Jobs
import Messages
import PostgreSQL
import Synchronization

/// Reads the events of all hosts. The hosts' own numbers are unrelated, so in the log an event's number is the microseconds of its time.
/// A stream has the order in which the database got the events: it has those that come late, and no host's clock changes it.
enum FleetEvents {
  private static let document = FleetView.document(
    "event.doc",
    with: """
      'id', (extract(epoch FROM event.at) * 1000000)::bigint, 'host', \(FleetView.name("host.name")), 'job',
      CASE WHEN jsonb_typeof(job.doc) = 'object'
        THEN job.doc || jsonb_build_object('job', job.number, 'host', \(FleetView.name("host.name"))) END
      """, most: 30_000)

  private static let isPast = "event.at BETWEEN '2000-01-01Z' AND now() + interval '1 hour'"

  /// Returns the time up to which events are read, in microseconds: the transactions of those that came before it are over.
  private static func end(_ session: PostgreSQLSession) throws -> Int64 {
    let sql = "SELECT (extract(epoch FROM now() - interval '2 seconds') * 1000000)::bigint"
    return try session.query(sql).first?.number(0) ?? 0
  }

  /// Events in the order of a time, the number after which more follow (nil if all were read), and the time up to which they were
  /// read.
  private typealias Part = (events: [EventMessage], next: Int64?, end: Int64)

  /// Reads events.
  /// - Parameters:
  ///   - time: `at` or `arrived`. A part ends between two times, so it may have a few more events than were asked for.
  ///   - after: the time after which they come, or before which the newest ones, in microseconds.
  private static func read(
    _ session: PostgreSQLSession, _ condition: FleetCondition, by time: String, _ order: JobOrder, after: Int64?,
    limit: Int
  ) throws -> Part {
    let end = try end(session)
    var condition = condition
    func compare(_ time: String, _ sign: String, _ number: Int64) {
      condition.add(String(number)) {
        "event.\(time) \(sign) to_timestamp(0) + \($0)::bigint * interval '1 microsecond'"
      }
    }
    compare("arrived", "<=", end)
    // no event is more than an hour ahead
    if let after { compare(time, order == .oldest ? ">" : "<", min(after, end + 4_000_000_000)) }
    let rows = try session.query(
      """
      SELECT (extract(epoch FROM time) * 1000000)::bigint, document FROM (
        SELECT event.\(time) AS time, \(document) AS document FROM waybill.event AS event
        JOIN waybill.host AS host ON host.ledger = event.ledger
        LEFT JOIN waybill.job AS job ON job.ledger = event.ledger AND job.number = event.job AND \(FleetView.isOfJob)
        WHERE \(isPast) AND \(condition.sql)
        ORDER BY event.\(time) \(order == .oldest ? "ASC" : "DESC") FETCH FIRST \(limit) ROWS WITH TIES
      ) AS found LIMIT 2000
      """, condition.values
    ).rows
    let events = rows.compactMap { FleetView.message(EventMessage.self, $0[1]) }
    return (events, rows.count < limit ? nil : rows.last?.number(0), end)
  }

  static func page(_ session: PostgreSQLSession, _ query: LogQuery) throws -> LogPage {
    let part = try read(
      session, FleetCondition(query.filter), by: "at", query.order, after: query.after, limit: query.limit)
    return LogPage(events: part.events, next: part.next.map { String($0) }, last: part.end)
  }

  /// Returns the events from a start on, which are looked for each second.
  static func subscribe(_ database: FleetDatabase, _ query: EventQuery) async throws -> EventSubscription {
    var (filter, start) = (query.filter, try await database.answer(end))
    switch query.start {
    case .now: break
    case .after(let number): start = min(start, number)
    case .since(let time): (filter.since, start) = (time, min(start, time.microseconds - 1))
    }
    let condition = FleetCondition(filter)
    // events that were read and not given yet, and the time up to which all were given: before them, and with them
    let state = Mutex((read: ArraySlice<EventMessage>(), before: start, with: start))
    var subscription = EventSubscription(
      isReset: false, position: start,
      events: AsyncThrowingStream(unfolding: {
        while true {
          if let event = state.withLock({ $0.read.popFirst() }) { return event }
          let start = state.withLock { $0.with }
          let part = try await database.answer { session in
            try FleetEvents.read(session, condition, by: "arrived", .oldest, after: start, limit: 250)
          }
          state.withLock { $0 = (part.events[...], start, part.next ?? max(start, part.end)) }
          if part.events.isEmpty, part.next == nil { try await Task.sleep(for: .seconds(1)) }
        }
      }))
    // a reader that goes on from there may get some events again
    subscription.number = { _ in state.withLock { $0.read.isEmpty ? $0.with : $0.before } }
    return subscription
  }
}

extension FleetCondition {
  init(_ filter: EventFilter) {
    self.init(hosts: filter.hosts)
    switch filter.by {
    case nil: break
    case .anyone: add("event.doc #>> '{by,user}' IS NOT NULL")
    case .named(let users):
      let marks = users.sorted().map { mark($0) }.joined(separator: ", ")
      add("(event.doc #>> '{by,user}' IN (\(marks)) OR event.doc #>> '{by,uid}' IN (\(marks)))")
    }
    if !filter.events.isEmpty {
      let marks = filter.events.sorted().map { mark($0) }.joined(separator: ", ")
      add("event.event IN (\(marks))")
    }
    if let spool = filter.spool { add(spool) { "event.doc ->> 'spool' = \($0)" } }
    if let destination = filter.destination {
      add(destination) { "(event.doc ->> 'destination' = \($0) OR job.destination = \($0))" }
    }
    if let name = filter.name { add(TextMatch.name(name)) { "job.name ~* \($0)" } }
    if let since = filter.since { add(since.rfc3339Milliseconds) { "event.at >= \($0)::timestamptz" } }
    if let until = filter.until { add(until.rfc3339Milliseconds) { "event.at < \($0)::timestamptz" } }
  }
}
