import ControlAPI
import Jobs
import Messages
import Testing

/// The terms of all queries: each is read as it is written, and refused in words that say what is accepted.
struct QueryTermTests {
  private static let now = Timestamp(year: 2026, month: 11, day: 21, hour: 12)

  @Test func changesAndExplainRoundTrip() throws {
    for query in [ChangesQuery(after: 0, seen: nil), ChangesQuery(after: 7, seen: "a-1&b", wait: 20)] {
      #expect(try ChangesQuery(parsing: query.text, now: Self.now) == query)
    }
    for query in [ExplainQuery(path: Array("/srv/a b".utf8)), ExplainQuery(path: [0x2F, 0xFF], size: 0)] {
      #expect(try ExplainQuery(parsing: query.text, now: Self.now) == query)
    }
  }

  @Test(arguments: [
    ("after=-1", "after \"-1\" is not the number of an event"), ("seen=", "seen needs a value"),
    ("wait=21", "wait \"21\" is not a span of time of at most 20s"),
    ("names=no", "names \"no\" is not one of true, false"),
    ("after=1&after=2", "after is given more than once"),
    ("since=1h", "parameter \"since\" is not known; there are after, seen, wait, names"),
  ]) func refusesChanges(_ query: String, _ words: String) {
    let error = #expect(throws: InvalidRequest.self) { try ChangesQuery(parsing: query, now: Self.now) }
    #expect(error?.message.coded?.text == words)
  }

  @Test(arguments: [
    ("", "path has to be a path of at most 4096 bytes"),
    ("path=", "path has to be a path of at most 4096 bytes"),
    ("path=a%00", "path has to be a path of at most 4096 bytes"),
    ("path=a&size=-1", "size \"-1\" is not one number of bytes"),
    ("path=a&name=b", "parameter \"name\" is not known; there are path, size"),
  ]) func refusesExplain(_ query: String, _ words: String) {
    let error = #expect(throws: InvalidRequest.self) { try ExplainQuery(parsing: query, now: Self.now) }
    #expect(error?.message.coded?.text == words)
  }
}
