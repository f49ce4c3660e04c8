import Jobs
import Testing

@testable import Ledger
@testable import SQLite

/// Statements read what they are about by an index, however many other rows there are; and what goes well pays for no index of trouble.
@Suite struct IndexTests {
  private static func filter(_ change: (inout JobFilter) -> Void) -> JobFilter {
    var filter = JobFilter()
    change(&filter)
    return filter
  }

  private static let pages = JobQuery(filter { $0.name = "invoice*" }).condition
  private static let stopped = JobQuery(filter { $0.states = [.aborted, .cancelled] }).condition

  /// A statement, a part of its plan, and what is in no line of it.
  private static let statements: [(sql: String, uses: String, never: [String])] = [
    (LedgerBatch.firstQueued, "job_queued (destination=? AND <expr>=?)", ["TEMP B-TREE"]),
    (LedgerBatch.firstUnpaused, "job_queued (destination=? AND <expr>=?)", ["TEMP B-TREE"]),
    (
      "\(JobRow.select) \(pages) ORDER BY job.number LIMIT ?",
      "SEARCH job USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", ["SCAN"]
    ),
    (
      "SELECT name FROM sent WHERE source = 1 AND size = 3 AND sha256 = x'00'", "PRIMARY KEY", ["SCAN", "TEMP B-TREE"]
    ),
    (
      "SELECT used FROM sent WHERE source = 1 AND name = x'00' ORDER BY used DESC LIMIT 1 OFFSET 15", "sent_name",
      ["SCAN", "TEMP B-TREE"]
    ),
    (
      "SELECT source, name FROM kept WHERE source = 1 AND seen < 9 ORDER BY seen LIMIT 5", "kept_seen",
      ["SCAN", "TEMP B-TREE"]
    ),
    (
      "SELECT 1 FROM content WHERE spool = 'a' AND registered_at < 9 ORDER BY registered_at LIMIT 5",
      "content_registered", ["SCAN", "TEMP B-TREE"]
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
