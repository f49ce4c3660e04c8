import Jobs
import SQLite

@testable import Ledger

extension LedgerCheck {
  /// Returns the faults of the ledger, also those between rows and columns that only a defect of the program leaves.
  static func allFaults(in directory: String) throws -> [String] {
    let check = try LedgerCheck(path: path(in: directory))
    let faults = try check.faults()
    let readable = try check.db.all(JobRow.select, []) { row -> Job? in
      do { return try JobRow.job(row) } catch is LedgerError { return nil }
    }
    return try faults + check.inconsistencies() + readable.compactMap(\.self).flatMap(check.contradictions)
  }

  private func inconsistencies() throws -> [String] {
    let strays = LedgerSchema.tablesOfJobs.map { table, column in
      (
        "rows of \(table) belong to no job",
        """
        SELECT count(*) FROM \(table) WHERE \(column) IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM job WHERE job.number = \(table).\(column))
        """
      )
    }
    return try (strays + Self.countedFaults).compactMap { words, sql in
      guard let count: Int = try db.value(sql), count > 0 else { return nil }
      return "\(count) \(words)"
    }
  }

  private static let countedFaults = [
    ("rows of job have no ticket", "SELECT count(*) FROM job WHERE number NOT IN (SELECT job FROM ticket)"),
    ("rows of detail have no event", "SELECT count(*) FROM detail WHERE sequence NOT IN (SELECT sequence FROM event)"),
    (
      "rows of event are in no job's history",
      """
      SELECT count(*) FROM event WHERE job IS NOT NULL \
      AND sequence NOT IN (SELECT previous FROM event WHERE previous IS NOT NULL UNION ALL SELECT last_event FROM job)
      """
    ),
    (
      "histories of jobs lack their older events",
      """
      SELECT (SELECT count(*) FROM job WHERE last_event > 0 AND NOT EXISTS
          (SELECT 1 FROM event WHERE event.sequence = job.last_event AND event.job = job.number))
        + (SELECT count(*) FROM event AS later WHERE previous > 0 AND NOT EXISTS
          (SELECT 1 FROM event WHERE event.sequence = later.previous AND event.job = later.job
            AND event.sequence < later.sequence))
      """
    ),
    (
      "rows of sent belong to no file",
      "SELECT count(*) FROM sent WHERE NOT EXISTS (SELECT 1 FROM kept WHERE source = sent.source AND name = sent.name)"
    ),
    (
      "rows of kept are on no list",
      "SELECT count(*) FROM kept WHERE source NOT IN (SELECT number FROM source)"
    ),
    (
      "rows of source count their files wrongly",
      "SELECT count(*) FROM source WHERE files <> (SELECT count(*) FROM kept WHERE kept.source = source.number)"
    ),
  ]

  /// Returns the faults of the columns that follow from a job and are there for the indexes alone.
  private func contradictions(of job: Job) throws -> [String] {
    try db.first(
      "SELECT presence, noticed, destination FROM job WHERE number = ?", [job.number.rawValue]
    ) { row -> [String] in
      let (presence, noticed, destination): (Int?, String?, String) = (row[0], row[1], row[2])
      let wrong = [
        (presence != job.presence?.rawValue, "has the wrong presence: no search for files finds it"),
        (noticed != job.noticed?.rawValue, "has the wrong noticed state: no search by state finds it"),
        (destination != job.destination.text, "has the wrong destination: it is not begun there"),
        (
          (job.state == .deferred) != (job.nextAttemptAt != nil),
          "is \(job.state.rawValue) \(job.nextAttemptAt == nil ? "without a time" : "with a time"): nothing wakes it"
        ),
      ]
      return wrong.compactMap { isWrong, words in isWrong ? "job \(job.number) \(words)" : nil }
    } ?? []
  }
}
