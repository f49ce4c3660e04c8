import ControlAPI
import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Spool

/// Commands that end with the file of an aborted or cancelled job gone from its spool.
extension CommandService {
  /// Makes sure that the file of a job that is about to be discarded can be removed: its spool is configured under that name.
  ///
  /// - Throws: a ``ProblemDocument`` (409) if it cannot.
  func requireSpool(of reference: JobReference) async throws {
    guard let job = try await ledger.job(reference), JobCommand.Name.discard.fits(job.state),
      stages.spools[job.ticket.spool] == nil, job.ticket.parcel != .inPlace
    else { return }
    let name = DisplayText.escape(job.ticket.spool)
    throw ProblemDocument(
      .spoolMissing, saying: .spoolOfFileMissing(spool: name, job: job.number.rawValue))
  }

  /// Makes sure that the file of a job that is about to be released was taken from where it was dropped.
  ///
  /// - Throws: a ``ProblemDocument`` (409) if it was not.
  func requireMoved(_ reference: JobReference) async throws {
    guard let job = try await ledger.job(reference), job.ticket.parcel == .inPlace else { return }
    let path = stages.spools[job.ticket.spool]?.path(job.ticket.claim) ?? job.ticket.dropped
    throw ProblemDocument(.fileInPlace, saying: .fileInPlace(path: path.shown))
  }

  /// Gives the file back: it becomes durable in its target directory, then the job ends, then the claimed name is removed.
  ///
  /// - Throws: a ``ProblemDocument`` with the reason; the job is as it was before.
  func release(_ job: Job, to path: String) async throws -> Job {
    do {
      try await stages.release(job, to: path)
    } catch {
      Failpoint.releaseFailing.pass()
      _ = try await ledger.releaseFailed(job.number)
      let why = (error as? FileError)?.message ?? (error as? Failure)?.message ?? .text("\(error)")
      throw ProblemDocument(.release, saying: .cannotBeReleased(name: job.ticket.name.shown, why: why))
    }
    let released = try await ledger.released(job.number) ?? job
    Failpoint.releasedCommitted.pass()
    try await disposals.dispose(of: released)
    return released
  }
}
