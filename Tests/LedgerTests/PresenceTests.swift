import Jobs
import SQLite
import Testing

@testable import Ledger

/// What a rescan, a scrape and a start ask of the jobs whose file is still there costs the same however many others there are.
@Suite struct PresenceTests {
  private static let anna = Caller(uid: 1000, user: "anna")

  /// Aborted and cancelled jobs are not among the unfinished, nor are those whose file is to be disposed of.
  @Test func oldestWaitingPassesOverAllOthers() async throws {
    let ledger = try LedgerBox().open()
    let stopped = try await ledger.admit((1...3).map { .sample("\($0)") }, begin: 3, in: both)
    for job in stopped {
      _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: Self.anna)
    }
    #expect(try await ledger.oldestWaiting() == [:])
    _ = try await ledger.admit([.sample("a"), .sample("b", spool: "scans")])
    #expect(try await ledger.oldestWaiting().keys.sorted() == ["documents", "scans"])
  }

  @Test func undisposedOfSpoolsThatAreNoMoreAreFound() async throws {
    let ledger = try LedgerBox().open()
    let names = ["documents", "gone", "left", "scans"]
    for job in try await ledger.admit(names.map { .sample($0, spool: $0) }, begin: 9, in: both) {
      let next = try #require(try await ledger.finish(job, .uploaded(.sample), thenTakeIn: both).next)
      _ = try await ledger.finish(next, .registered(.sample), thenTakeIn: nil)
    }
    _ = try await ledger.admit([.sample("waits"), .sample("waits", spool: "gone")])
    func found(_ known: [String]?, after: JobNumber? = nil, limit: Int = 9) async throws -> [String] {
      try await ledger.undisposed(spool: "documents", orNotOf: known, after: after, limit: limit).map(\.ticket.spool)
    }
    #expect(try await found(nil) == ["documents"])
    #expect(try await found(names) == ["documents"])
    #expect(try await found(["documents", "scans"]) == ["documents", "gone", "left"])
    #expect(try await found(["documents", "scans"], limit: 2) == ["documents", "gone"])
    #expect(try await found(["documents", "scans"], after: JobNumber(rawValue: 2)) == ["left"])
  }

  /// What no query shows is told by the check: a presence that contradicts the job, a ticket that is missing, and histories that
  /// end too early or turn back; columns for the indexes that do not follow from the job.
  @Test(arguments: [
    ("UPDATE job SET presence = 2 WHERE number = 1", "job 1 has the wrong presence"),
    ("UPDATE job SET noticed = 'aborted' WHERE number = 1", "job 1 has the wrong noticed state"),
    ("UPDATE job SET destination = 'storage.other' WHERE number = 2", "job 2 has the wrong destination"),
    ("UPDATE job SET next_attempt_at = 1 WHERE number = 2", "job 2 is queued with a time"),
    ("DELETE FROM ticket WHERE job = 2", "1 rows of job have no ticket"),
    ("INSERT INTO registration VALUES (77, 200, NULL, '', 1)", "1 rows of registration belong to no job"),
    ("UPDATE job SET state = 'lost' WHERE number = 2", "job 2 cannot be read"),
    ("UPDATE job SET last_event = 0 WHERE number = 1", "1 rows of event are in no job's history"),
    ("UPDATE event SET previous = sequence WHERE job = 1", "1 histories of jobs lack their older events"),
  ])
  func checkFindsContradictions(_ damage: String, _ fault: String) async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit([.sample("a"), .sample("b")])
    try ledger.pool.write { try $0.execute(damage) }
    // a history that turns back ends
    _ = try await ledger.attempts(of: JobNumber(rawValue: 1))
    try ledger.close()
    let faults = try LedgerCheck.allFaults(in: box.directory)
    #expect(faults.contains { $0.contains(fault) }, "\(faults)")
  }
}
