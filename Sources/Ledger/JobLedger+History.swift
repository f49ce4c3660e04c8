import Failpoints
import GRDB
public import Jobs

extension JobLedger {
  /// Returns true if a job may be due to leave: the first job found that is done ended before that time.
  public func hasDone(before time: Timestamp) async throws -> Bool {
    try await doneJobs(before: time, after: nil, limit: 1).isEmpty == false
  }

  /// Removes some of the registered and discarded jobs that ended before a time and whose file was disposed of, with their
  /// attempts and events. Numbers are not given again; an id may come again.
  ///
  /// - Returns: the last of them, from which to go on; nil if there were none.
  public func forget(before time: Timestamp, after: JobNumber?, atMost limit: Int) async throws -> JobNumber? {
    let numbers = try await doneJobs(before: time, after: after, limit: limit)
    guard !numbers.isEmpty else { return nil }
    try await writer.perform { batch in
      for number in numbers { try batch.forget(number) }
      Failpoint.historyCommitting.pass()
    }
    Failpoint.historyCommitted.pass()
    return numbers.last
  }

  /// Reads the oldest jobs and stops where all are too young. So no index is needed, for which every job would pay.
  private func doneJobs(before time: Timestamp, after: JobNumber?, limit: Int) async throws -> [JobNumber] {
    try await read { db in
      let rows = try Row.fetchCursor(
        db,
        sql:
          "SELECT number, \(LedgerSchema.Condition.done), finished_at, created_at FROM job WHERE number > ? ORDER BY number",
        arguments: [after?.rawValue ?? 0])
      var numbers: [JobNumber] = []
      var tooYoung = 0
      while numbers.count < limit, tooYoung < Self.youngEnough, let row = try rows.next() {
        let (number, isDone, finishedAt): (Int64, Bool, Int64?) = (row[0], row[1], row[2])
        let createdAt: Int64 = row[3]
        tooYoung = createdAt >= time.microseconds ? tooYoung + 1 : 0
        if isDone, let finishedAt, finishedAt < time.microseconds { numbers.append(JobNumber(rawValue: number)) }
      }
      return numbers
    }
  }

  /// The number of jobs in a row that must be too young before all that follow count as too young, even if a clock was set.
  private static let youngEnough = 1024
}

extension LedgerBatch {
  /// Removes everything about a job that is done; does nothing for any other job.
  mutating func forget(_ number: JobNumber) throws {
    guard let job = try jobs("number = ? AND \(LedgerSchema.Condition.done)", [number.rawValue]).first else { return }
    for rows in [
      "job WHERE number", "stored WHERE job", "registration WHERE job", "answer WHERE job", "multipart WHERE job",
      "attempt WHERE job", "event WHERE job",
    ] {
      try db.cachedStatement(sql: "DELETE FROM \(rows) = ?").execute(arguments: [number.rawValue])
    }
    left(job)
  }
}
