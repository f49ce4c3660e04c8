package import Jobs
import SQLite

extension Failure {
  /// The code of the failure of a job whose medium is not there (`after = "keep"`). When the medium is back, these jobs are due at once.
  package static let awayCode = "in-place-away"
}

extension Job {
  /// True while the job waits for its medium, also if a pause or a gate delays the next look.
  var waitsForMedium: Bool { [.deferred, .queued].contains(state) && failure?.code == Failure.awayCode }
}

/// Jobs that wait for a medium that was taken out.
extension JobLedger {
  /// Makes the jobs due that wait for the medium of a spool, because it is there.
  ///
  /// Each commit changes some of them, so that other changes are not delayed. Jobs that wait for another job of their name look again
  /// too, because a restart forgets that job.
  package func makeDueWithMedium(of spool: String) async throws {
    var last: JobNumber? = JobNumber(rawValue: 0)
    while let after = last {
      last = try await writer.perform { batch in
        let jobs = try batch.jobs(
          """
          \(LedgerSchema.Condition.unfinished) AND job.spool = ? AND \(LedgerSchema.Condition.deferred) \
          AND job.failure_code IN (?, ?) AND job.number > ? ORDER BY job.number LIMIT ?
          """, [spool, Failure.awayCode, Failure.nameHeldCode, after.rawValue, Self.mostDueAtOnce])
        for job in jobs { _ = try batch.apply(.due, to: job) }
        return jobs.count == Self.mostDueAtOnce ? jobs.last?.number : nil
      }
    }
  }

  private static let mostDueAtOnce = 256
}
