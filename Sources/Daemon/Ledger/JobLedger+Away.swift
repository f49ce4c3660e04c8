public import Jobs
import SQLite

extension Failure {
  /// The code of the failure of a job whose medium is not there (`after = "keep"`). When the medium is back, these jobs are due at once.
  public static let awayCode = "in-place-away"
}

extension Job {
  /// True while it waits for its medium: from one look to the next, also if a pause or a gate holds the next one up.
  var waitsForMedium: Bool { [.deferred, .queued].contains(state) && failure?.code == Failure.awayCode }
}

/// Jobs that wait for a medium that was taken out.
extension JobLedger {
  /// Makes the jobs of a spool due that wait for its medium, which is there.
  ///
  /// It changes some of them with each commit, so that other changes come between.
  public func makeDueWithMedium(of spool: String) async throws {
    var last: JobNumber? = JobNumber(rawValue: 0)
    while let after = last {
      last = try await writer.perform { batch in
        let jobs = try batch.jobs(
          Self.selectWaiting, [spool, Failure.awayCode, after.rawValue, Self.mostDueAtOnce])
        for job in jobs { _ = try batch.apply(.due, to: job) }
        return jobs.count == Self.mostDueAtOnce ? jobs.last?.number : nil
      }
    }
  }

  /// The number of jobs that one commit makes due.
  private static let mostDueAtOnce = 256

  private static let selectWaiting = """
    \(LedgerSchema.Condition.unfinished) AND job.spool = ? AND \(LedgerSchema.Condition.deferred) \
    AND job.failure_code = ? AND job.number > ? ORDER BY job.number LIMIT ?
    """
}
