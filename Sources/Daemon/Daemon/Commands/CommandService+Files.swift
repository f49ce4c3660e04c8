import ControlAPI
import ControlServer
import Delivery
import Jobs
import Ledger
import Linux
import Messages

/// Commands that end with the file of an aborted or cancelled job gone from its spool.
extension CommandService {
  /// Deletes the file for good. The mark is durable before the file is removed; a crash between is finished at start.
  func discard(_ job: Job) async throws { try await disposals.dispose(of: job) }

  /// Makes sure that the file of a job that is about to be discarded can be removed: its spool is configured under that name.
  ///
  /// - Throws: a ``ProblemDocument`` (409) in words.
  func requireSpool(of reference: JobReference) async throws {
    guard let job = try await ledger.job(reference), [.aborted, .cancelled].contains(job.state),
      stages.spools[job.ticket.spool] == nil
    else { return }
    let name = DisplayText.escape(job.ticket.spool)
    throw ProblemDocument(
      .spoolMissing,
      detail:
        "Nothing was changed: spool.\(name) is no longer configured, so the file of job \(job.number) cannot be removed. "
        + "Give a [[spool]] with its directory the name \(name), then discard it")
  }

  /// Gives the file back: durable at its target first, then the job is over, then the claimed name goes.
  ///
  /// - Throws: ``ReleaseFailed`` with the reason in words; the job is what it was before.
  func release(_ job: Job, to path: String) async throws -> Job {
    do {
      try await stages.release(job, to: path)
    } catch {
      Failpoint.releaseFailing.pass()
      _ = try await ledger.releaseFailed(job.number)
      let why = (error as? FileError)?.message ?? (error as? Failure)?.message ?? .text("\(error)")
      throw ReleaseFailed(.cannotBeReleased(name: job.ticket.name.shown, why: why))
    }
    let released = try await pipeline.stops.released(job) ?? job
    Failpoint.releasedCommitted.pass()
    try await discard(released)
    return released
  }
}
