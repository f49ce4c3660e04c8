import Jobs
import MessageLiterals
import Testing

@testable import Ledger
@testable import SQLite

/// Jobs in trouble are found by small indexes, which jobs that go well neither are in nor make SQLite look at.
@Suite struct NoticedStateTests {
  private static let anna = Caller(uid: 1000, user: "anna")
  private static let troubleIndexes = ["job_noticed", "job_waiting", "job_deferred"]

  private func plan(_ ledger: JobLedger, _ sql: String, _ arguments: [(any Bindable)?]) throws -> [String] {
    try ledger.pool.write { db in
      try db.all("EXPLAIN QUERY PLAN \(sql)", arguments) { row -> String in row[3] }
    }
  }

  private func noticed(_ ledger: JobLedger) throws -> [String?] {
    try ledger.pool.write { db in try db.all("SELECT noticed FROM job ORDER BY number") { row -> String? in row[0] } }
  }

  /// The column is what follows from the state, at each place of a job's way.
  @Test func followsTheState() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let jobs = try await ledger.admit([.sample("a"), .sample("b"), .sample("c")], begin: 3, in: both)
    #expect(try noticed(ledger) == [nil, nil, nil])
    let next = try #require(try await ledger.finish(jobs[0], .uploaded(.sample), thenTakeIn: both).next)
    _ = try await ledger.finish(next, .registered(.sample), thenTakeIn: nil)
    _ = try await ledger.finish(
      jobs[1], .failed(Failure(.transient, "HTTP 500"), .retry(after: .seconds(9))), thenTakeIn: nil)
    _ = try await ledger.finish(jobs[2], .failed(Failure(.credentials, "HTTP 403"), .awaitCredentials), thenTakeIn: nil)
    #expect(try noticed(ledger) == [nil, "deferred", "awaiting-credentials"])
    for job in jobs[1...] { _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: Self.anna) }
    #expect(try noticed(ledger) == [nil, "cancelled", "cancelled"])
    _ = try await ledger.carryOut(.retry, on: .number(jobs[1].number), by: Self.anna)
    #expect(try noticed(ledger) == [nil, nil, "cancelled"])
    try ledger.close()
    #expect(try LedgerCheck(path: LedgerCheck.path(in: box.directory)).faults() == [])
  }

  /// The first deferred job, those that wait, and those that people ask for are found by index, however many others there are.
  @Test func troubleIsFoundByIndex() throws {
    let ledger = try LedgerBox().open()
    #expect(
      try plan(ledger, JobRow.selectNextDue, []) == ["SEARCH job USING INDEX job_deferred (next_attempt_at>?)"])
    let waiting = "\(LedgerSchema.Condition.waiting) AND job.destination = ? ORDER BY job.number LIMIT ?"
    let found = try plan(ledger, "\(JobRow.select) WHERE \(waiting)", ["storage.main", 9])
    #expect(found.first == "SEARCH job USING INDEX job_waiting (destination=?)", "\(found)")
    var filter = JobFilter()
    filter.states = [.aborted, .cancelled]
    let query = JobQuery(filter)
    let counted = try plan(ledger, "SELECT count(*) FROM job \(query.condition)", query.arguments)
    #expect(counted == ["SEARCH job USING COVERING INDEX job_noticed (noticed=?)"])
  }

  /// No update of a job that goes well opens an index for trouble: SQLite would compare its condition for the row before and after.
  @Test(arguments: [
    ColumnGroups.progress, [.step, .progress, .file], [.progress, .end, .disposal], .disposal,
  ])
  func goingWellLeavesTheirIndexesAlone(_ groups: ColumnGroups) throws {
    let ledger = try LedgerBox().open()
    let (opened, pages) = try ledger.pool.write { db in
      let statement = groups.updateSQL.text
      let count = statement.count { $0 == "?" }
      let opened = try db.all("EXPLAIN \(statement)", [(any Bindable)?](repeating: 1, count: count)) {
        row -> (String, Int64) in (row[1], row[3])
      }
      let pages = try db.all("SELECT rootpage, name FROM sqlite_schema WHERE type = 'index'", []) {
        row -> (Int64, String) in (row[0], row[1])
      }
      return (opened, Dictionary(uniqueKeysWithValues: pages))
    }
    let names = Set(opened.filter { $0.0 == "OpenWrite" }.compactMap { pages[$0.1] })
    let allowed: Set<String> = groups.contains(.step) ? ["job_waiting"] : []
    #expect(names.intersection(Self.troubleIndexes).isSubset(of: allowed), "\(names)")
    #expect(!opened.isEmpty && opened.contains { $0.0 == "OpenWrite" })
  }
}
