import ControlAPI
import ControlServer
import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Spool

/// `GET /v1/jobs/{job}/file`: the file of a stopped job, for a person who releases it once all of it was read.
extension CommandService {
  func file(_ reference: JobReference) async throws -> JobFile {
    guard let job = try await ledger.job(reference) else { throw UnknownJob(reference) }
    try await requireMoved(reference)
    guard JobCommand.Name.release.fittingStates.contains(job.state), job.release == nil else {
      throw try await refused(Refusal(job: job, reason: .state(.release)))
    }
    let stages = stages
    do throws(Failure) {
      try stages.requireOneFile(job)
    } catch {
      throw ProblemDocument(.severalFiles, saying: error.message)
    }
    let file: OpenFile
    do {
      file = try await stages.openToRead(job)
    } catch {
      let why = (error as? FileError)?.message ?? (error as? Failure)?.message ?? .text("\(error)")
      throw ReleaseFailed(.cannotBeReleased(name: job.ticket.name.shown, why: why))
    }
    return JobFile(revision: job.revision, size: file.openedFacts.size) { offset in
      try await stages.read(file, of: job, at: offset)
    }
  }
}
