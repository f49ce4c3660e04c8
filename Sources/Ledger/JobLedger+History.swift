import Failpoints
import GRDB
public import Jobs

extension JobLedger {
  /// Whether a job may have to leave: the first one that is done was done before that time.
  public func hasDone(before time: Timestamp) async throws -> Bool {
    try await doneJobs(before: time, after: nil, limit: 1).isEmpty == false
  }

  /// Lets go of some of the registered and discarded jobs that ended before a time and whose file was disposed of, with
  /// their attempts and events. Numbers are not given again; an id may come again.
  ///
  /// - Returns: the last of them, to go on after; nil if there were none.
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

  /// Walks over the oldest jobs and stops where all are too young, so that no index is needed that every job would pay for.
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

  /// How many jobs in a row have to be too young to leave for all that follow to be so too, though a clock was set.
  private static let youngEnough = 1024
}

extension LedgerBatch {
  /// Removes all that is known of a job that is done; of another one nothing.
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
