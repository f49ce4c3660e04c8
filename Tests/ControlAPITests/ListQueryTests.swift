import ControlAPI
import Jobs
import Testing

struct ListQueryTests {
  let now = Timestamp(year: 2026, month: 11, day: 21, hour: 12)

  @Test func listQueryRoundTrips() throws {
    var filter = JobFilter()
    filter.states = [.awaitingConfirmation, .aborted]
    filter.step = .register
    filter.spool = "in box"
    filter.name = "*.pdf & 50% +ä"
    filter.error = "taken, again"
    filter.since = now
    filter.until = now + .seconds(3)
    let query = ListQuery(
      filter: filter, order: .newest, after: PageCursor(after: JobNumber(rawValue: 4711)), limit: 7)
    #expect(try ListQuery(parsing: query.text, now: now) == query)
  }

  /// A fleet's pages end after a job of a ledger, or after all jobs of an id.
  @Test(arguments: [".a b", "00000000-0000-4000-8000-000000000001.ä"])
  func fleetCursorRoundTrips(place: String) throws {
    let query = ListQuery(after: PageCursor(place: place))
    #expect(try ListQuery(parsing: query.text, now: now) == query)
  }

  @Test func acceptsRepeatedOrCommaSeparatedStates() throws {
    let query = try ListQuery(parsing: "state=queued,active&state=deferred", now: now)
    #expect(query.filter.states == [.queued, .active, .deferred])
    #expect(query.limit == 100 && query.order == .oldest)
  }

  @Test(arguments: [
    ("since=1h", -3600), ("since=1h+30min", -5400), ("since=90", -90), ("since=2d", -172_800),
    ("since=2026-11-21T12:00:01Z", 1), ("since=2026-11-21T13:00:00+01:00", 0), ("since=2026-11-21T11:59:59.000Z", -1),
  ])
  func acceptsAbsoluteAndRelativeTimes(query: String, seconds: Int64) throws {
    #expect(try ListQuery(parsing: query, now: now).filter.since == now + .seconds(seconds))
  }

  @Test(arguments: [
    ("sate=queued", "sate"), ("state=queud", "queud"), ("state=", "state"), ("step=down", "down"),
    ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=ten", "limit"), ("after=42", "after"), ("after=f", "after"),
    ("after=fx.y", "after"),
    ("since=tomorrow", "tomorrow"), ("since=2026-02-30T00:00:00Z", "since"), ("since=99999999999999999999s", "since"),
    ("name=%GG", "%"), ("name=%FF", "UTF-8"), ("name=a&name=b", "name"), ("limit=1&limit=2", "limit"),
    ("order=best", "order"), ("order=newest&order=newest", "order"),
  ])
  func refusesInvalidParametersByName(query: String, named: String) {
    let error = #expect(throws: InvalidRequest.self) { try ListQuery(parsing: query, now: now) }
    #expect(error?.description.contains(named) == true)
  }
}
