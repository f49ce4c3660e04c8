import ControlAPI
import ControlServer
import Jobs
import Linux
import Messages
import PostgreSQL
import Synchronization

/// Reads the events of all hosts. An event's number is the microseconds of its time, because the hosts' own numbers are unrelated.
enum FleetEvents {
  /// The document of an event as the log gives it, with the job as it is now.
  private static let document = FleetView.document(
    "event.doc",
    with: """
      'id', (extract(epoch FROM event.at) * 1000000)::bigint, 'host', \(FleetView.name("host.name")), 'job',
      CASE WHEN jsonb_typeof(job.doc) = 'object'
        THEN job.doc || jsonb_build_object('job', job.number, 'host', \(FleetView.name("host.name"))) END
      """, most: 30_000)

  /// True for a time that can be one of an event: a wrong clock must not carry the position of all readers away.
  private static let isPast = "event.at BETWEEN '2000-01-01Z' AND now() + interval '1 hour'"

  private static let home = """
    JOIN waybill.host AS host ON host.ledger = event.ledger
    LEFT JOIN waybill.job AS job ON job.ledger = event.ledger AND job.number = event.job
    """

  /// The latest time with which can be computed, in microseconds.
  private static let latest: Int64 = 250_000_000_000_000_000

  /// Returns a page of the log. A page ends between two times, so it may have a few more events than were asked for.
  static func page(_ session: PostgreSQLSession, _ query: LogQuery) throws -> LogPage {
    var condition = FleetCondition(query.filter)
    let isAscending = query.order == .oldest
    if let after = query.after {
      condition.add(String(min(after, latest))) {
        "event.at \(isAscending ? ">" : "<") to_timestamp(0) + \($0)::bigint * interval '1 microsecond'"
      }
    }
    let direction = isAscending ? "ASC" : "DESC"
    let rows = try session.query(
      """
      SELECT (extract(epoch FROM at) * 1000000)::bigint, document FROM (
        SELECT event.at, \(document) AS document FROM waybill.event AS event \(home)
        WHERE \(isPast) AND \(condition.sql)
        ORDER BY event.at \(direction) FETCH FIRST \(query.limit) ROWS WITH TIES
      ) AS found LIMIT 2000
      """, condition.values
    ).rows
    let last = try session.query("SELECT (extract(epoch FROM now()) * 1000000)::bigint").first?.number(0) ?? 0
    return LogPage(
      events: rows.compactMap { FleetView.message(EventMessage.self, $0[1]) },
      next: rows.count < query.limit ? nil : rows.last?.text(0), last: last)
  }

  /// Returns the events from a start on, which are looked for each second.
  static func subscribe(_ database: FleetDatabase, _ query: EventQuery) -> EventSubscription {
    let reader = Reader(database, query)
    let newest = Mutex<Int64>(0)
    var subscription = EventSubscription(
      isReset: false, events: AsyncThrowingStream(unfolding: { try await reader.next() }))
    // neither an event that comes late nor one of a wrong clock moves a reader
    subscription.number = { event in
      newest.withLock { newest in
        newest = max(newest, min(event.sequence, Clocks.wall()))
        return newest
      }
    }
    return subscription
  }

  /// One reader of events: its position in the events of each ledger, and the events that were read and not given yet.
  private actor Reader {
    private let database: FleetDatabase
    private let filter: EventFilter
    /// The time after which events are read, in microseconds; nil for now.
    private let start: Int64?
    private var places: [String: (generation: Int64, sequence: Int64)] = [:]
    private var read: ArraySlice<EventMessage> = []

    /// The most events of one ledger that are read at a time.
    private static let most = 100

    init(_ database: FleetDatabase, _ query: EventQuery) {
      (self.database, filter) = (database, query.filter)
      start =
        switch query.start {
        case .now: nil
        case .after(let number): min(number, latest)
        case .since(let time): time.microseconds - 1
        }
    }

    func next() async throws -> EventMessage {
      while true {
        if let event = read.popFirst() { return event }
        try await readOn()
        if read.isEmpty { try await Task.sleep(for: .seconds(1)) }
      }
    }

    /// Reads the events that came since the last call. A ledger without a position begins after its last event before the start.
    private func readOn() async throws {
      var known = JSONText()
      known.array { text in
        for (ledger, place) in places {
          text.object { text in
            text.member("ledger", ledger)
            text.member("generation", place.generation)
            text.member("sequence", place.sequence)
          }
        }
      }
      var condition = FleetCondition(filter)
      let mark = condition.mark(String(decoding: known.bytes, as: UTF8.self))
      let since = condition.mark(start.map(String.init))
      let sql = """
        WITH known AS (SELECT * FROM json_to_recordset(\(mark)::json) AS place (ledger uuid, generation bigint, sequence bigint)),
        place AS (
          SELECT * FROM known UNION ALL
          SELECT host.ledger, coalesce(event.generation, -1), coalesce(event.sequence, -1) FROM waybill.host AS host
          LEFT JOIN LATERAL (SELECT * FROM waybill.event AS event WHERE event.ledger = host.ledger
            AND (\(since)::bigint IS NULL OR event.at <= to_timestamp(0) + \(since)::bigint * interval '1 microsecond')
            ORDER BY event.generation DESC, event.sequence DESC LIMIT 1) AS event ON true
          WHERE \(condition.home) AND host.ledger NOT IN (SELECT ledger FROM known)
        )
        SELECT place.ledger, coalesce(event.generation, place.generation), coalesce(event.sequence, place.sequence), event.document
        FROM place LEFT JOIN LATERAL (
          SELECT event.at, event.generation, event.sequence, CASE WHEN \(condition.sql) THEN \(document) END AS document
          FROM waybill.event AS event \(home) WHERE event.ledger = place.ledger
            AND \(isPast) AND (event.generation, event.sequence) > (place.generation, place.sequence)
          ORDER BY event.generation, event.sequence LIMIT \(Self.most)) AS event ON true
        ORDER BY event.at, place.ledger, event.generation, event.sequence
        """
      let rows = try await database.answer { [values = condition.values] in try $0.query(sql, values).rows }
      for row in rows {
        let place = (generation: row.number(1) ?? 0, sequence: row.number(2) ?? 0)
        if places[row.text(0)].map({ $0 < place }) ?? true { places[row.text(0)] = place }
      }
      read = rows.compactMap { FleetView.message(EventMessage.self, $0[3]) }[...]
    }
  }
}

extension FleetCondition {
  /// Creates the conditions of a filter for events (`event`).
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
