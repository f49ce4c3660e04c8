package import Jobs
package import Linux
import SQLite
import Seams

extension JobLedger {
  /// The file in the state directory that says when jobs may leave.
  private static let paceName = "ledger.pace"

  /// Reads what ``notePace(_:)`` left; nil if there is nothing that can be read.
  package func readPace() -> String? {
    do throws(FileError) {
      let file = try files.directory.openOurs(Array(Self.paceName.utf8))
      return String(validating: try file.read(at: 0, count: 256), as: UTF8.self)
    } catch {
      return nil
    }
  }

  /// Replaces the note for the next daemon. It is not synced: if it is lost, jobs stay one more day.
  package func notePace(_ text: String) throws(FileError) { try files.replace(Self.paceName, with: text) }

  /// Removes jobs that are done, with their attempts and events. Numbers are not given again; an id may come again.
  package func forget(_ numbers: [JobNumber]) async throws {
    try await writer.perform { batch in
      for number in numbers { try batch.forget(number) }
      // so that they are not given again
      try LastNumbers(jobs: batch.memory.position.lastNumber, events: batch.counts.lastEvent).keep(in: batch.db)
      Failpoint.historyCommitting.pass()
    }
    Failpoint.historyCommitted.pass()
  }

  /// Returns some of the registered and discarded jobs that ended before a time and whose file was disposed of.
  ///
  /// It reads the oldest jobs and stops where all are too young, so that no job pays for an index.
  package func done(before time: Timestamp, after: JobNumber?, limit: Int) async throws -> [JobNumber] {
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
