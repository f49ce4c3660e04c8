import ChildProcesses
import ControlAPI
import Jobs
import MessageLiterals
import Messages
import PostgreSQL
import Testing

@testable import Fleet

/// A change of the tables counts once, and only at the place at which it begins.
@Suite(.needs(.postgreSQL))
struct MirrorPlaceTests {
  private static let time = MessageTime(Timestamp(seconds: 1_795_222_923))

  private static func event(_ sequence: Int64) -> ChangesMessage.Event {
    var event = ChangesMessage.Event(
      EventMessage(
        Occurrence(.gateOpened, of: .ledger, at: time.timestamp, message: "x", reason: nil)))
    event.sequence = sequence
    return event
  }

  @Test func changeCountsOnceAndRemovesVanishedJobs() async throws {
    try await FleetSchemaTests.withTables { server in
      let store = try await FleetSchemaTests.fill(server)
      let here = MirrorPosition(generation: 1, applied: 0, seen: "s")
      let there = MirrorPosition(generation: 1, applied: 1, seen: "t")
      func change(from place: MirrorPosition) -> MirrorBatch {
        var batch = MirrorBatch(from: place, to: there, last: 1)
        batch.events = [Self.event(1)]
        return batch
      }
      for place in [
        MirrorPosition(generation: 2, applied: 0, seen: "s"), MirrorPosition(generation: 1, applied: 1, seen: "s"),
        MirrorPosition(generation: 1, applied: 0, seen: "r"), MirrorPosition(generation: 1, applied: 0),
      ] {
        await #expect(throws: MirrorMoved.self, "\(place)") { try await store.apply(change(from: place)) }
      }
      let place = "SELECT generation, applied, seen FROM waybill.host"
      #expect(try await server.sql(place).output == "1|0|s\n")
      try await store.apply(change(from: here))
      await #expect(throws: MirrorMoved.self) { try await store.apply(change(from: here)) }
      #expect(try await server.sql(place).output == "1|1|t\n")
      #expect(try await server.sql("SELECT count(*) FROM waybill.event WHERE sequence = 1").output == "1\n")

      // a page of all jobs has all that there are in its range, and a job that is gone leaves
      #expect(
        try await server.sql(
          """
          INSERT INTO waybill.job (ledger, owner, number, id, revision, spool, size, step, state, attempt, created_at, updated_at)
          SELECT ledger, owner, n, gen_random_uuid(), 1, 's', 1, 'upload', 'queued', 1, now(), now()
          FROM waybill.host, generate_series(2, 9) AS n
          """
        ).status == 0)
      let numbers = "SELECT string_agg(number::text, ' ' ORDER BY number) FROM waybill.job"
      var batch = MirrorBatch(from: there, to: there, last: 1)
      batch.gone = [3, 4, 77]
      try await store.apply(batch)
      #expect(try await server.sql(numbers).output == "1 2 5 6 7 8 9\n")
      batch = MirrorBatch(from: there, to: there, last: 1)
      batch.whole = 2...7
      try await store.apply(batch)
      #expect(try await server.sql(numbers).output == "1 8 9\n")
    }
  }

  /// What the copy knew of a ledger's earlier life says nothing about this one, whatever else the daemon answers.
  @Test(arguments: [true, false]) func newGenerationRereadsAllJobs(reset: Bool) {
    let answer = ChangesMessage(
      ledger: LedgerIdentityMessage(uuid: "u", generation: 2), reset: reset, events: [Self.event(9)], upTo: 9, last: 9,
      all: false, jobs: [], gone: [4], seen: "t", more: false)
    func follow(_ generation: Int64) -> (batch: MirrorBatch, readAll: String?) {
      MirrorPlan.next(answer, MirrorPosition(generation: generation, applied: 5, seen: "s"), at: Self.time)
    }
    let other = follow(1)
    #expect(other.readAll == "t" && other.batch.to == MirrorPosition(generation: 2, applied: 9))
    #expect(other.batch.gone == [] && other.batch.events.map(\.sequence) == [9], "its events are not missing here")
    let same = follow(2)
    #expect(same.readAll == nil && same.batch.to.seen == "t" && same.batch.gone == [4])
    #expect(same.batch.events.map(\.sequence) == (reset ? [6, 9] : [9]))
  }
}
