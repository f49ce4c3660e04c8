public import Jobs
import SQLite

extension Failure {
  /// The code of the failure of a job whose medium is not there (`after = "keep"`). When the medium is back, these jobs are due at once.
  public static let awayCode = "in-place-away"
}

extension Job {
  /// True while the job waits for its medium, also if a pause or a gate delays the next look.
  var waitsForMedium: Bool { [.deferred, .queued].contains(state) && failure?.code == Failure.awayCode }
}

extension AttemptResult {
  /// The result if the medium came during the attempt: then no person is asked about it.
  var afterMissedMedium: AttemptResult {
    guard case .failed(let failure, .ask) = self, failure.code == Failure.awayCode else { return self }
    return .failed(failure, .wait(after: .zero))
  }
}

/// Jobs that wait for a medium that was taken out.
extension JobLedger {
  /// Makes the jobs due that wait for the medium of a spool, because it is there.
  ///
  /// Each commit changes some of them, so that other changes are not delayed. Jobs with an attempt in flight look again, because they
  /// may have found the medium missing. So do jobs that wait for another job of their name, because a restart forgets that job.
  public func makeDueWithMedium(of spool: String) async throws {
    var last: JobNumber? = JobNumber(rawValue: 0)
    while let after = last {
      last = try await writer.perform { batch in
        if after.rawValue == 0 { batch.mediumCame(of: spool) }
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

  /// The number of jobs that one commit makes due.
  private static let mostDueAtOnce = 256
}

extension LedgerBatch {
  /// Notes that the medium of a spool is there: attempts in flight may still report that it is away.
  fileprivate mutating func mediumCame(of spool: String) {
    let numbers = activeJobs.filter { $0.ticket.spool == spool && $0.ticket.parcel == .inPlace }.map(\.number)
    if !numbers.isEmpty { memory.position.missedMedium.formUnion(numbers) }
  }

  /// Makes a job due if its attempt found the medium away, although the medium came during that attempt.
  mutating func lookAgain(_ job: Job) throws -> Job {
    guard job.state == .deferred, job.waitsForMedium else { return job }
    return try apply(.due, to: job) ?? job
  }

  /// Returns true if the medium of a job came during the attempt that ends now, and forgets that.
  mutating func takeMissedMedium(_ job: JobNumber) -> Bool {
    memory.position.missedMedium.remove(job) != nil
  }
}
