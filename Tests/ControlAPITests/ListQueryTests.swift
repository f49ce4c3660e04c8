import ControlAPI
import Jobs
import Testing

struct ListQueryTests {
  let now = Timestamp(year: 2026, month: 11, day: 21, hour: 12)

  /// A fleet's pages end after a job of a ledger, or after all jobs of an id.
  @Test(arguments: ["j3mv", "f.a b", "f00000000-0000-4000-8000-000000000001.ä"])
  func listQueryRoundTrips(place: String) throws {
    var filter = JobFilter()
    (filter.states, filter.step, filter.spool) = ([.awaitingConfirmation, .aborted], .register, "in box")
    (filter.name, filter.error) = ("*.pdf & 50% +ä", "taken, again")
    (filter.since, filter.until) = (now, now + .seconds(3))
    var query = ListQuery(filter: filter, order: .newest, after: PageCursor(place), limit: 7)
    query.names = false
    #expect(try ListQuery(parsing: query.text, now: now) == query && query.after?.description == place)
  }

  @Test(arguments: [
    ("sate=queued", "sate"), ("state=queud", "queud"), ("state=", "state"), ("step=down", "down"),
    ("after=42", "after"), ("after=f", "after"), ("after=fx.y", "after"), ("name=a&name=b", "name"),
    ("since=tomorrow", "tomorrow"), ("since=99999999999999999999s", "since"), ("name=%GG", "%"), ("name=%FF", "UTF-8"),
  ])
  func refusesInvalidParametersByName(query: String, named: String) {
    let error = #expect(throws: InvalidRequest.self) { try ListQuery(parsing: query, now: now) }
    #expect(error?.description.contains(named) == true)
  }
}
