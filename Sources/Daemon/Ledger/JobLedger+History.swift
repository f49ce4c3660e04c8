public import Jobs
public import Linux
import SQLite
import Seams

extension JobLedger {
  /// Returns true if a job may be due to leave, because the first finished job that is found ended before that time.
  public func hasDone(before time: Timestamp) async throws -> Bool {
    try await doneJobs(before: time, after: nil, limit: 1).isEmpty == false
  }

  /// The file in the state directory that says when jobs may leave.
  private static let paceName = "ledger.pace"

  /// Reads what ``notePace(_:)`` left; nil if there is nothing that can be read.
  public func readPace() -> String? {
    do throws(FileError) {
      let file = try files.directory.openOurs(Array(Self.paceName.utf8))
      return String(validating: try file.read(at: 0, count: 256), as: UTF8.self)
    } catch {
      return nil
    }
  }

  /// Replaces the note for the next daemon. It is not synced: if it is lost, jobs stay one more day.
  public func notePace(_ text: String) throws(FileError) { try files.replace(Self.paceName, with: text) }

  /// Removes some of the registered and discarded jobs that ended before a time and whose file was disposed of, with their
  /// attempts and events. Numbers are not given again; an id may come again.
  ///
  /// - Returns: the last of them, from which to go on; nil if there were none.
  public func forget(before time: Timestamp, after: JobNumber?, atMost limit: Int) async throws -> JobNumber? {
    let numbers = try await doneJobs(before: time, after: after, limit: limit)
    guard !numbers.isEmpty else { return nil }
    try await writer.perform { batch in
      for number in numbers { try batch.forget(number) }
      // so that they are not given again
      try LastNumbers(jobs: batch.memory.position.lastNumber, events: batch.counts.lastEvent).keep(in: batch.db)
      Failpoint.historyCommitting.pass()
    }
    Failpoint.historyCommitted.pass()
    return numbers.last
  }

  /// Sets ends in the future to now: they come from a clock that was set back since, and the jobs would stay until then.
  public func redateEnds() async throws {
    let now = clock.now().microseconds
    while true {
      let numbers: [Int64] = try await read { db in
        try db.column("SELECT number FROM job WHERE finished_at > ? LIMIT \(Self.redatedAtOnce)", [now])
      }
      if numbers.isEmpty { return }
      try await writer.perform { batch in
        try batch.write()
        for number in numbers {
          try batch.db.execute("UPDATE job SET finished_at = ? WHERE number = ?", [now, number])
        }
      }
    }
  }

  /// The number of jobs that one commit gives another date.
  private static let redatedAtOnce = 1000

  /// Reads the oldest jobs and stops where all are too young, so that no job pays for an index.
  private func doneJobs(before time: Timestamp, after: JobNumber?, limit: Int) async throws -> [JobNumber] {
    let now = clock.now().microseconds
    return try await read { db in
      var rows = try db.rows(
        """
        SELECT number, \(LedgerSchema.Condition.isDone), finished_at, created_at FROM job WHERE number > ? ORDER BY number
        """, [after?.rawValue ?? 0])
      var numbers: [JobNumber] = []
      var tooYoung = 0
      while numbers.count < limit, tooYoung < Self.youngEnough, let row = try rows.next() {
        let (number, isDone, finishedAt): (Int64, Bool, Int64?) = (row[0], row[1], row[2])
        let createdAt: Int64 = row[3]
        // a time in the future comes from a wrong clock and must not hide the next jobs
        tooYoung = createdAt >= time.microseconds && createdAt <= now ? tooYoung + 1 : 0
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
    guard let job = try jobs("job.number = ? AND \(LedgerSchema.Condition.isDone)", [number.rawValue]).first else {
      return
    }
    // The cleanup of a group needs the list of its files.
    if job.ticket.parcel.group != nil, try CleanupRow.cleanup(of: number, in: db) != nil { return }
    // first: they are found by the job's row
    try db.execute("DELETE FROM event WHERE sequence IN (\(EventRow.ofJob))", [number.rawValue])
    for (table, column) in LedgerSchema.tablesOfJobs where table != "event" {
      try db.execute("DELETE FROM \(table) WHERE \(column) = ?", [number.rawValue])
    }
    left(job)
  }
}
