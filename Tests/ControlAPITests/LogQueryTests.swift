import Foundation
import ControlAPI
import Jobs
import Testing

struct LogQueryTests {
  /// Clocks in Berlin go back at 2026-10-25T01:00Z and forward at 2026-03-29T01:00Z.
  @Test(arguments: [
    ("2026-11-21", "2026-11-20T23:00:00Z"), ("2026-07-21", "2026-07-20T22:00:00Z"),
    ("2026-11-21 01:02", "2026-11-21T00:02:00Z"), ("2026-11-21T01:02:03Z", "2026-11-21T01:02:03Z"),
    ("2026-11-21T01:02:03+05:00", "2026-11-20T20:02:03Z"), ("today", "2026-11-20T23:00:00Z"),
    ("yesterday", "2026-11-19T23:00:00Z"), ("1h", "2026-11-20T23:30:00Z"),
    ("2026-10-25 02:30", "2026-10-25T00:30:00Z"), ("2026-10-25 03:30", "2026-10-25T02:30:00Z"),
    ("2026-10-25", "2026-10-24T22:00:00Z"), ("2026-10-26", "2026-10-25T23:00:00Z"),
    ("2026-03-29 02:30", "2026-03-29T01:30:00Z"), ("2026-03-29 01:59", "2026-03-29T00:59:00Z"),
    ("2026-03-29 03:00", "2026-03-29T01:00:00Z"),
  ])
  func datesAreOfTheZone(text: String, moment: String) throws {
    let (spring, autumn) = (
      Timestamp(year: 2026, month: 3, day: 29, hour: 1), Timestamp(year: 2026, month: 10, day: 25, hour: 1)
    )
    let summer = spring.wholeSeconds..<autumn.wholeSeconds
    // Half past one at night in Berlin, and the day before in UTC.
    let now = try #require(Timestamp(rfc3339: "2026-11-21T00:30:00Z"))
    #expect(RelativeTime.read(text, now: now) { summer.contains($0) ? 7200 : 3600 }?.rfc3339 == moment)
  }

  private static let now = Timestamp(year: 2026, month: 11, day: 21, hour: 12)

  private static func filter(_ change: (inout EventFilter) -> Void) -> EventFilter {
    var filter = EventFilter()
    change(&filter)
    return filter
  }

  private static let queries: [LogQuery] = [
    LogQuery(), LogQuery(order: .oldest, after: 17, limit: 1000),
    LogQuery(filter: filter { $0.by = .anyone }),
    LogQuery(
      filter: filter {
        $0.by = .named(["ada", "1000"])
        $0.events = ["question", "gate-closed"]
        $0.spool = "a b&c"
        $0.destination = "storage.main"
        $0.name = "*.pdf"
        $0.since = now
        $0.until = now + .seconds(60)
      }),
  ]

  @Test(arguments: queries) func logQueryRoundTrips(_ query: LogQuery) throws {
    #expect(try LogQuery(parsing: query.text, now: Self.now) == query)
  }

  @Test(arguments: queries) func streamAcceptsLogFilterWithoutTimes(_ query: LogQuery) throws {
    var filter = query.filter
    (filter.since, filter.until) = (nil, nil)
    let stream = EventQuery(start: query.filter.since.map { .since($0) } ?? .now, filter: filter)
    #expect(try EventQuery(lastEventID: nil, query: stream.text, now: Self.now) == stream)
  }

  @Test func acceptsRepeatedUsersAndEvents() throws {
    let query = try LogQuery(parsing: "by=ada,bob&by=root&event=question&event=aborted,cancelled", now: Self.now)
    #expect(query.filter.by == .named(["ada", "bob", "root"]))
    #expect(query.filter.events == ["question", "aborted", "cancelled"])
    #expect(try LogQuery(parsing: "by=ada,*,bob", now: Self.now).filter.by == .anyone)
  }

  @Test(arguments: [
    "by=", "by=a,,b", "event=", "event=registerd", "since=soon", "until=", "order=newst", "limit=0", "limit=1001",
    "limit=x", "names=false", "state=queued", "name=", "name=%FF",
    "after=-1", "after=x", "spool=a&spool=b", "since=1h&since=1h", "limit=1&limit=1", "order=oldest&order=oldest",
  ]) func refusesInvalidFilters(_ query: String) {
    #expect(throws: InvalidRequest.self) { try LogQuery(parsing: query, now: Self.now) }
  }

  @Test(
    arguments: [
      ("2026-11-20", -129_600), ("2026-11-21 11:59", -60), ("2026-11-21 11:59:30", -30), ("2026-11-21T11:59", -60),
      ("now", 0), ("today", -43_200), ("yesterday", -129_600), ("2h ago", -7200), ("1h 30min", -5400), ("90", -90),
      ("2026-11-21T13:00:00+01:00", 0), ("", nil), ("tomorrow", nil), ("ago", nil), (" ago", nil), ("2026-02-30", nil),
      ("2026-11-21 24:00", nil), ("2026-11-2", nil), ("21.11.2026", nil), ("Today ", nil),
    ] as [(String, Int?)]) func acceptsCommonTimeFormats(_ text: String, _ seconds: Int?)
  {
    #expect(RelativeTime.read(text, now: Self.now) == seconds.map { Self.now + .seconds($0) })
  }
}
