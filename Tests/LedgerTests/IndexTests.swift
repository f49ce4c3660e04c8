import Jobs
import Testing

@testable import Ledger
@testable import SQLite

/// Statements read what they are about by an index, however many other rows there are; and what goes well pays for no index of trouble.
@Suite struct IndexTests {
  private static let pages = JobQuery(JobFilter { $0.name = "invoice*" }).condition
  private static let stopped = JobQuery(JobFilter { $0.states = [.aborted, .cancelled] }).condition

  /// A statement, a part of its plan, and what is in no line of it.
  private static let statements: [(sql: String, uses: String, never: [String])] = [
    (LedgerBatch.firstQueued, "job_queued (destination=? AND <expr>=?)", ["TEMP B-TREE"]),
    (LedgerBatch.firstUnpaused, "job_queued (destination=? AND <expr>=?)", ["TEMP B-TREE"]),
    (
      "\(JobRow.select) \(pages) ORDER BY job.number LIMIT ?",
      "SEARCH job USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", ["SCAN"]
    ),
    (JobLedger.selectMoving, "job_present", []),
    (JobLedger.selectAsking, "job_noticed (noticed=?)", ["SCAN"]),
    (JobLedger.selectNeededFiles, "SEARCH job USING COVERING INDEX job_present (presence=?)", []),
    (JobLedger.selectOldest, "SEARCH job USING INDEX job_present (presence=? AND spool>?)", ["SCAN", "TEMP B-TREE"]),
    (
      JobLedger.selectUndisposed(of: ["a"]),
      "SEARCH job USING COVERING INDEX job_present (presence=? AND spool=? AND rowid>?)", ["SCAN"]
    ),
    (
      JobLedger.selectUndisposed(of: ["a", "b"]),
      "SEARCH job USING COVERING INDEX job_present (presence=? AND spool=? AND rowid>?)", ["SCAN"]
    ),
    (JobLedger.selectRegistrations, "SEARCH event USING INTEGER PRIMARY KEY (rowid>?", ["SCAN"]),
    (JobRow.selectNextDue, "SEARCH job USING INDEX job_deferred (next_attempt_at>?)", ["SCAN", "TEMP B-TREE"]),
    (
      "\(JobRow.select) WHERE \(LedgerSchema.Condition.waiting) AND job.destination = ? ORDER BY job.number LIMIT ?",
      "SEARCH job USING INDEX job_waiting (destination=?)", ["SCAN"]
    ),
    (
      "SELECT count(*) FROM job \(stopped)", "SEARCH job USING COVERING INDEX job_noticed (noticed=?",
      ["SCAN", "TEMP B-TREE"]
    ),
  ]

  @Test(arguments: statements.indices)
  func statementUsesIndex(_ row: Int) throws {
    let ledger = try LedgerBox().open()
    let (sql, uses, never) = Self.statements[row]
    let plan = try ledger.pool.write { db in
      let values = [(any Bindable)?](repeating: 1, count: sql.count { $0 == "?" })
      return try db.all("EXPLAIN QUERY PLAN \(sql)", values) { row -> String in row[3] }
    }
    #expect(plan.contains { $0.contains(uses) }, "\(sql): \(plan)")
    for words in never { #expect(!plan.contains { $0.contains(words) }, "\(sql): \(plan)") }
  }

  private static let troubleIndexes = ["job_noticed", "job_waiting", "job_deferred"]

  /// No update of a job that goes well opens an index for trouble: SQLite would compare its condition for the row before and after.
  @Test(arguments: [
    ColumnGroups.progress, [.step, .progress, .file], [.progress, .end], .end,
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

  /// Aborted and cancelled jobs are not among the unfinished, nor are those whose file is to be disposed of.
  @Test func oldestWaitingPassesOverAllOthers() async throws {
    let ledger = try LedgerBox().open()
    let stopped = try await ledger.admit((1...3).map { .sample("\($0)") }, begin: 3, in: both)
    for job in stopped {
      _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .alice)
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

  /// A row that cannot be read, and a history that turns back: whoever reads it comes to its end.
  @Test(arguments: [
    ("UPDATE job SET state = 'lost' WHERE number = 2", "job 2 cannot be read"),
    ("UPDATE event SET previous = sequence WHERE job = 1", "1 histories of jobs lack their older events"),
  ])
  func checkFindsContradictions(_ damage: String, _ fault: String) async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    _ = try await ledger.admit([.sample("a"), .sample("b")])
    try ledger.pool.write { try $0.execute(damage) }
    _ = try await ledger.attempts(of: JobNumber(rawValue: 1))
    try ledger.close()
    let faults = try LedgerCheck.allFaults(in: box.directory)
    #expect(faults.contains { $0.contains(fault) }, "\(faults)")
  }
}
