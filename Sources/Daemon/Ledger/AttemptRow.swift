import Jobs
import SQLite

/// A row of `attempt`: a try that has ended.
enum AttemptRow {
  private static let plain = ["step", "number", "started_at", "ended_at", "outcome"]
  private static let plainSQL = JobRow.insert(into: "attempt", ["job"] + plain, replacing: true)
  private static let failedSQL = JobRow.insert(
    into: "attempt", ["job"] + plain + FailureColumns.names, replacing: true)

  /// The columns that ``attempt(_:)`` reads.
  static let columns = (plain + FailureColumns.names).joined(separator: ", ")

  /// Writes a try; one that succeeded has few columns.
  static func insert(_ attempt: Attempt, of job: JobNumber, into db: Database) throws {
    let failure = attempt.failure
    var row = try db.binding(failure == nil ? plainSQL : failedSQL)
    row.add(job.rawValue)
    row.add(attempt.step.rawValue)
    row.add(attempt.number)
    row.add(attempt.startedAt.microseconds)
    row.add(attempt.endedAt.microseconds)
    row.add(attempt.outcome.rawValue)
    if failure != nil { FailureColumns.write(failure, to: &row) }
    try row.run()
  }

  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func attempt(_ row: Row) throws -> Attempt {
    var reader = ColumnReader(row: row)
    return Attempt(
      step: try reader.nextCase(), number: reader.next(), startedAt: Timestamp(microseconds: reader.next()),
      endedAt: Timestamp(microseconds: reader.next()), outcome: try reader.nextCase(),
      failure: try FailureColumns.read(from: &reader))
  }
}
