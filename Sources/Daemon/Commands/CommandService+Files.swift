import ControlAPI
import ControlServer
import Delivery
import Failpoints
import Jobs
import Ledger
import LinuxFiles

/// Commands that end with the file of an aborted or cancelled job gone from its spool.
extension CommandService {
  /// Deletes the file for good. The mark is durable before the file is removed; a crash between is finished at start.
  func discard(_ job: Job) async throws { try await disposals.dispose(of: job) }

  /// Gives the file back: durable at its target first, then the job is over, then the claimed name goes.
  ///
  /// - Throws: ``ReleaseFailed`` with the reason in words; the job is what it was before.
  func release(_ job: Job, to path: String) async throws -> Job {
    do {
      try await stages.release(job, to: path)
    } catch {
      Failpoint.releaseFailing.pass()
      _ = try await ledger.releaseFailed(job.number)
      let words = (error as? FileError)?.words ?? (error as? Failure)?.words ?? "\(error)"
      throw ReleaseFailed(words: "\(job.ticket.name.shown) cannot be released: \(words)")
    }
    let released = try await pipeline.stops.released(job) ?? job
    Failpoint.releasedCommitted.pass()
    try await discard(released)
    return released
  }
}
