import Jobs
import SQLite

/// Jobs that wait for a medium that was taken out.
extension JobLedger {
  /// Makes the deferred jobs of a spool due whose last attempt failed with a code: what they wait for is there.
  ///
  /// It changes some of them with each commit, so that other changes come between.
  public func makeDue(waitingFor code: String, of spool: String) async throws {
    var isMore = true
    while isMore {
      isMore = try await writer.perform { batch in
        let jobs = try batch.jobs(Self.selectWaiting, [spool, code, Self.mostDueAtOnce])
        for job in jobs { _ = try batch.apply(.due, to: job) }
        return jobs.count == Self.mostDueAtOnce
      }
    }
  }

  /// The number of jobs that one commit makes due.
  private static let mostDueAtOnce = 256

  private static let selectWaiting = """
    \(LedgerSchema.Condition.unfinished) AND job.spool = ? AND \(LedgerSchema.Condition.deferred) \
    AND job.failure_code = ? ORDER BY job.number LIMIT ?
    """
}
