import ChildProcesses
import ControlAPI
import Foundation
import Jobs
import PostgreSQL
import Synchronization
import Testing

@testable import Fleet

/// What people read of the tables, and how agents are told of what people ask.
@Suite(.serialized, .needs(.postgreSQL))
struct FleetViewTests {
  private static func ledger(_ host: Int) -> String { "00000000-0000-4000-8000-00000000000\(host)" }

  /// Three hosts, two of one name, with 20 jobs each: every fourth asks.
  private static func withJobs(_ body: (PostgreSQLServer, PostgreSQLSession) async throws -> Void) async throws {
    try await FleetSchemaTests.withTables { server in
      let boss = try PostgreSQLSession(server.database())
      for (host, name) in [(1, "b"), (2, "a"), (3, "b")] {
        try boss.query(
          "INSERT INTO waybill.host (ledger, owner, name, heartbeat, allow) VALUES ($1, 'postgres', $2, '1h', 'cancel')",
          [ledger(host), name])
        try boss.query(
          """
          INSERT INTO waybill.job (ledger, number, id, revision, spool, name, size, step, state, destination, attempt,
            error_kind, error_message, reason, created_at, updated_at)
          SELECT $1, n, gen_random_uuid(), n, 'documents', 'Scan[' || n || '].PDF', 1, 'upload',
            CASE WHEN n % 4 = 0 THEN 'awaiting-confirmation' WHEN n % 4 = 1 THEN 'queued' ELSE 'registered' END, 'storage.main', 1,
            CASE WHEN n % 4 = 0 THEN 'unavailable' END, CASE WHEN n % 4 = 0 THEN 'Key ' || n || ' is 100% wrong' END,
            CASE WHEN n % 8 = 0 THEN 'Key … is wrong' WHEN n % 4 = 0 THEN 'another' END, '2026-11-01T00:00:00Z'::timestamptz + n * interval '1 day', now()
          FROM generate_series(1, 20) AS n
          """, [ledger(host)])
      }
      try await body(server, try PostgreSQLSession(server.database("anna")))
    }
  }

  @Test func pagesAndFiltersFindEachJobOnce() async throws {
    try await Self.withJobs { _, anna in
      var filters = [FleetFilter(), FleetFilter(), FleetFilter(), FleetFilter()]
      filters[1].states = ["awaiting-confirmation"]
      filters[2].states = ["registered", "queued"]
      filters[3].host = "b"
      for (filter, count) in zip(filters, [60, 15, 45, 40]) {
        let all = try FleetView.jobs(anna, filter, limit: 1000)
        #expect(all.jobs.count == count && all.next == nil && all.unreadable == 0)
        #expect(
          all.jobs.map { [$0.host, $0.ledger] }
            == all.jobs.map { [$0.host, $0.ledger] }.sorted { $0.lexicographicallyPrecedes($1) })
        for limit in [1, 7, count] {
          var (paged, place): ([FleetJob], FleetJobs.Cursor?) = ([], nil)
          repeat {
            let page = try FleetView.jobs(anna, filter, after: place, limit: limit)
            (paged, place) = (paged + page.jobs, page.next)
          } while place != nil
          #expect(paged == all.jobs, "\(limit)")
        }
      }

      func numbers(_ change: (inout FleetFilter) -> Void) throws -> [Int64] {
        var filter = FleetFilter()
        filter.host = "a"
        change(&filter)
        return try FleetView.jobs(anna, filter, limit: 1000).jobs.map(\.job.job)
      }
      func check(_ found: [Int64], _ change: (inout FleetFilter) -> Void) throws {
        let numbers = try numbers(change)
        #expect(numbers == found)
      }
      for (pattern, found) in [
        ("scan[3*", [3]), ("*[?].pdf", [1, 2, 3, 4, 5, 6, 7, 8, 9]), ("[12].", [12]), ("can", Array(1...20)),
        ("*.PD", []),
        ("*.p?f", Array(1...20)), ("n[2]", [2]), ("*n[2]", []), (".pdf", Array(1...20)), ("%", []), ("a.", []),
        ("\\", []),
        ("[z-a]*", []),
      ] as [(String, [Int64])] { try check(found, { $0.name = pattern }) }
      for (words, found) in [
        ("UNAVAILABLE", [4, 8, 12, 16, 20]), ("key 8 is", [8]), ("key … wrong", [4, 8, 12, 16, 20]),
        ("100%", [4, 8, 12, 16, 20]),
        ("k.y", []), ("wrong…key", []),
      ] as [(String, [Int64])] { try check(found, { $0.error = words }) }
      try check([3, 5], { $0.jobs = ["a/3", "a/x", "\(Self.ledger(2))/5", "no id"] })
    }
  }

  /// Rows that were written after the group was shown were not shown, whoever wrote them and however they look.
  @Test func groupAnswerReachesOnlyShownRows() async throws {
    try await Self.withJobs { server, anna in
      let asker = FleetRequest.Asker("anna", expiresIn: 60)
      func shown(_ number: Int) throws -> FleetFilter {
        let group = try FleetView.groups(anna, FleetView.questions)[number]
        var filter = FleetFilter()
        (filter.group, filter.digest) = (group.key, group.digest)
        return filter
      }
      func ask(_ filter: FleetFilter) throws -> Int {
        try FleetRequest.ask(anna, "cancel", of: filter, in: "x", by: asker).count
      }
      let six = try shown(1)
      var unseen = six
      unseen.digest = nil
      #expect(throws: FleetGroupChanged.self, "it was not shown") { try ask(unseen) }
      func change(_ sql: String) async throws { #expect(try await server.sql(sql).status == 0, "\(sql)") }
      // one more, one that is written again, one that has left
      try await change(
        "UPDATE waybill.job SET state = 'awaiting-confirmation', error_kind = 'unavailable', reason = 'Key … is wrong' WHERE number = 1 AND ledger = '\(Self.ledger(1))'"
      )
      try await change(
        "UPDATE waybill.job SET revision = revision + 1 WHERE number = 8 AND ledger = '\(Self.ledger(1))'")
      try await change("DELETE FROM waybill.job WHERE number = 8 AND ledger = '\(Self.ledger(2))'")
      #expect(try ask(six) == 4)
      #expect(try ask(try shown(1)) == 6)
      // the digest is of this group, and counted with this filter
      var other = try shown(0)
      other.digest = try shown(1).digest
      #expect(throws: FleetGroupChanged.self) { try ask(other) }
      var narrow = try shown(1)
      narrow.host = "a"
      #expect(throws: FleetGroupChanged.self) { try ask(narrow) }
      // a host that takes the name by which the jobs were chosen brings its own along
      var ofA = FleetView.questions
      ofA.host = "a"
      let group = try #require(FleetView.groups(anna, ofA).first)
      (ofA.group, ofA.digest) = (group.key, group.digest)
      try await change("UPDATE waybill.host SET name = 'a'")
      #expect(throws: FleetGroupChanged.self) { try ask(ofA) }
      #expect(try FleetAsked.last(anna, 9).count == 2, "nothing is left of what was refused")
      for text in [
        "", "x", "\(group.digest.description)0x", "\(group.digest.description.dropFirst())",
        "\(String(repeating: "a", count: 32)).1.1:0:",
      ] {
        #expect(FleetDigest(text) == nil, "\(text)")
      }
    }
  }

  /// What a person was shown at the terminal before they said yes is what is asked for.
  @Test func confirmedCommandReachesOnlyShownJobs() async throws {
    try await Self.withJobs { server, anna in
      let asker = FleetRequest.Asker("anna", expiresIn: 60)
      var filter = FleetFilter()
      filter.states = ["awaiting-confirmation"]
      let shown = try FleetRequest.shown(anna, "cancel", of: filter)
      #expect(shown.jobs == 15)
      filter.shown = shown
      for sql in [
        "UPDATE waybill.job SET state = 'awaiting-confirmation' WHERE number = 1",
        "DELETE FROM waybill.job WHERE number = 4",
        "UPDATE waybill.job SET revision = revision + 1 WHERE number = 8 AND ledger = '\(Self.ledger(1))'",
      ] { #expect(try await server.sql(sql).status == 0, "\(sql)") }
      #expect(try FleetRequest.ask(anna, "cancel", of: filter, in: "x", by: asker).count == 11)
      let asked = try await server.sql("SELECT count(*) FROM waybill.command WHERE job IN (1, 4)").output
      #expect(asked == "0\n")
      // a host that takes another's name meanwhile brings nothing of its own along
      var ofA = FleetFilter()
      ofA.host = "a"
      ofA.shown = try FleetRequest.shown(anna, "cancel", of: ofA)
      #expect(try await server.sql("UPDATE waybill.host SET name = 'a'").status == 0)
      #expect(throws: FleetGroupChanged.self) { try FleetRequest.ask(anna, "cancel", of: ofA, in: "x", by: asker) }
    }
  }

  /// A host may name itself as it likes, also by the uuid of another one's ledger: that is still the other one's.
  @Test func hostNameCannotClaimOtherLedger() async throws {
    try await Self.withJobs { server, anna in
      let victim = Self.ledger(1)
      #expect(
        try await server.sql("UPDATE waybill.host SET name = '\(victim)' WHERE ledger = '\(Self.ledger(2))'").status
          == 0)
      for name in [victim, victim.uppercased()] {
        var filter = FleetFilter()
        filter.jobs = ["\(name)/4"]
        #expect(try FleetView.jobs(anna, filter, limit: 9).jobs.map(\.ledger) == [victim])
        #expect(try FleetView.group(anna, of: "\(name)/4") != nil)
        #expect(
          try FleetRequest.ask(anna, "cancel", of: filter, in: "x", by: .init("anna", expiresIn: 60)).count == 1)
        var ofHost = FleetFilter()
        ofHost.host = name
        #expect(try Set(FleetView.jobs(anna, ofHost, limit: 99).jobs.map(\.ledger)) == [victim])
        let paused = try FleetRequest.pause(
          anna, "pause", target: "all", host: name, by: .init("anna", expiresIn: 60))
        #expect(paused.count == 1)
      }
      #expect(try await server.sql("SELECT DISTINCT ledger FROM waybill.command").output == "\(victim)\n")
      // of two hosts with one name none is forgotten by mistake
      #expect(try await server.sql("UPDATE waybill.host SET name = 'b'").status == 0)
      #expect(throws: FleetNameAmbiguous.self) {
        _ = try FleetView.forget(anna, host: "b")
      }
      #expect(try FleetView.forget(anna, host: victim) == 1)
      #expect(try await server.sql("SELECT count(*) FROM waybill.host").output == "2\n")
    }
  }
}
