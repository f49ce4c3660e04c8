import ChildProcesses
import PostgreSQL
import Testing

@testable import Fleet

/// A change of the tables counts once, and only at the place at which it begins.
@Suite(.needs(.postgreSQL))
struct MirrorPlaceTests {
  private static let place = "SELECT generation, applied, seen FROM waybill.host"
  private static let numbers = "SELECT string_agg(number::text, ' ' ORDER BY number) FROM waybill.job"

  private static func answer(
    generation: Int = 1, reset: Bool = false, events: [Int] = [], jobs: [String] = [], gone: [Int] = []
  ) -> [UInt8] {
    let last = events.last ?? 1
    return Array(
      changesAnswer(
        FleetSchemaTests.ledger, generation: generation, reset: reset, events: events, last: last, jobs: jobs,
        gone: gone, seen: "t"
      ).utf8)
  }

  @Test func changeCountsOnceAndRemovesVanishedJobs() async throws {
    try await FleetSchemaTests.withTables { server in
      let store = try await FleetSchemaTests.fill(server)
      let here = MirrorPosition(generation: 1, applied: 1, seen: "s")
      let there = MirrorPosition(generation: 1, applied: 2, seen: "t")
      for place in [
        MirrorPosition(generation: 2, applied: 1, seen: "s"), MirrorPosition(generation: 1, applied: 2, seen: "s"),
        MirrorPosition(generation: 1, applied: 1, seen: "r"), MirrorPosition(generation: 1, applied: 1),
      ] {
        await #expect(throws: MirrorMoved.self, "\(place)") {
          _ = try await store.take(Self.answer(events: [2]), at: place)
        }
      }
      #expect(try await server.sql(Self.place).output == "1|1|s\n")
      #expect(try await store.take(Self.answer(events: [2]), at: here).position == there)
      await #expect(throws: MirrorMoved.self) { _ = try await store.take(Self.answer(events: [2]), at: here) }
      #expect(try await server.sql(Self.place).output == "1|2|t\n")
      #expect(try await server.sql("SELECT count(*) FROM waybill.event WHERE sequence = 2").output == "1\n")
      // an event that is there already undoes the whole answer
      await #expect(throws: PostgreSQLError.self) { _ = try await store.take(Self.answer(events: [2, 3]), at: there) }
      #expect(try await server.sql(Self.place).output == "1|2|t\n")
      let foreign = changesAnswer("00000000-0000-4000-8000-000000000009", last: 2, seen: "u")
      await #expect(throws: Mirror.OtherLedger.self) { _ = try await store.take(Array(foreign.utf8), at: there) }

      // a page of all jobs has all that there are in its range, and a job that is gone leaves
      #expect(
        try await server.sql(
          """
          INSERT INTO waybill.job (ledger, owner, number, revision, doc)
          SELECT ledger, owner, n, 1, '{}' FROM waybill.host, generate_series(2, 9) AS n
          """
        ).status == 0)
      _ = try await store.take(Self.answer(events: [3], gone: [3, 4, 77]), at: there)
      #expect(try await server.sql(Self.numbers).output == "1 2 5 6 7 8 9\n")
      let reading = try await store.take(
        Self.answer(generation: 2, events: [9]), at: .init(generation: 1, applied: 3, seen: "t"))
      #expect(try await server.sql(Self.place).output == "2|9|\n")
      func page(_ jobs: String, next: String, after last: Int64) async throws -> String? {
        let page = Array("{\"jobs\":[\(jobs)],\"next\":\(next)}".utf8)
        return try await store.take(page: page, after: last, upTo: "w", at: reading.position).cursor
      }
      #expect(try await page("{\"job\":6,\"revision\":1}", next: "\"j6\"", after: 0) == "j6")
      #expect(try await server.sql(Self.numbers).output == "6 7 8 9\n")
      #expect(try await page("{\"job\":8,\"revision\":0,\"state\":\"queued\"}", next: "null", after: 6) == nil)
      #expect(try await server.sql(Self.numbers).output == "6 8\n")
      // what a restored ledger has counts, also if its revision is lower
      #expect(try await server.sql("SELECT revision, state FROM waybill.job WHERE number = 8").output == "0|queued\n")
      #expect(try await server.sql(Self.place).output == "2|9|w\n")
      await #expect(throws: MirrorMoved.self, "a page is applied once") {
        _ = try await page("", next: "null", after: 8)
      }
      #expect(try await server.sql(Self.numbers).output == "6 8\n")
    }
  }

  /// What the copy knew of a ledger's earlier life says nothing about this one, whatever else the daemon answers.
  @Test(arguments: [true, false]) func newGenerationRereadsAllJobs(reset: Bool) async throws {
    try await FleetSchemaTests.withTables { server in
      let store = try await FleetSchemaTests.fill(server)
      func follow(_ generation: Int) async throws -> HostStore.Taken {
        _ = try await server.sql(
          "DELETE FROM waybill.event; UPDATE waybill.host SET generation = 1, applied = 5, seen = 's'")
        return try await store.take(
          Self.answer(generation: generation, reset: reset, events: [9], gone: [1]),
          at: MirrorPosition(generation: 1, applied: 5, seen: "s"))
      }
      let events = "SELECT string_agg(sequence::text, ' ' ORDER BY sequence) FROM waybill.event"
      let other = try await follow(2)
      #expect(other.whole == "t" && other.position == MirrorPosition(generation: 2, applied: 9))
      #expect(try await server.sql(Self.numbers).output == "1\n")
      #expect(try await server.sql(events).output == "9\n", "its events are not missing here")
      let same = try await follow(1)
      #expect(same.whole == nil && same.position.seen == "t")
      #expect(try await server.sql(Self.numbers).output == "\n")
      #expect(try await server.sql(events).output == (reset ? "6 9\n" : "9\n"))
    }
  }

  /// PostgreSQL stores no NUL, which an answer may have in a text; and two backslashes before it are another text.
  @Test func textsWithNULAreStored() async throws {
    try await FleetSchemaTests.withTables { server in
      let store = try await FleetSchemaTests.fill(server)
      let job = #"{"job":2,"revision":1,"name":"a\u0000\u0000b\\u0000\\\u0000"}"#
      _ = try await store.take(Self.answer(jobs: [job]), at: MirrorPosition(generation: 1, applied: 1, seen: "s"))
      let name = try await server.sql("SELECT name FROM waybill.job WHERE number = 2").output
      #expect(name == "a\u{FFFD}\u{FFFD}b\\u0000\\\u{FFFD}\n")
    }
  }
}
