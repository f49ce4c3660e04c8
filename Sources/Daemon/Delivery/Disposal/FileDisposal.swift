import Glibc
import Jobs
import Ledger
import Linux
import Messages
import ObjectStorage
import Seams
import Spool

/// Disposes of a job's file with its sidecar, or of its group, in one spool. It blocks.
struct FileDisposal {
  /// The result, and the spool with the file.
  typealias End = (part: Stages.SpoolPart, result: Result<Disposal, any Error>)

  let job: Job
  let part: Stages.SpoolPart
  let ledger: JobLedger
  private let trouble: SpoolTrouble

  /// Disposes of the file of a registered, skipped or discarded job, in the spool that has it.
  ///
  /// - Returns: nil if no spool of this host has the file now.
  static func end(of job: Job, by stages: Stages, _ ledger: JobLedger) -> End? {
    func end(in part: Stages.SpoolPart) -> End {
      Failpoint.disposing.pass()
      defer { Failpoint.disposed.pass() }
      let disposal = FileDisposal(job: job, part: part, ledger: ledger, trouble: stages.trouble)
      return (part, Result { try disposal.carryOut() })
    }
    guard let own = stages.parts[job.ticket.spool] else { return stages.otherPart(holding: job).map(end) }
    let ended = end(in: own)
    guard case .success(.alreadyGone) = ended.result, let other = stages.otherPart(holding: job) else { return ended }
    return end(in: other)
  }

  private func carryOut() throws -> Disposal {
    let claim = job.ticket.claim
    guard job.state == .registered || job.state == .skipped else {
      let isThere = try part.directory.held().hasClaim(claim)
      try part.directory.held().removeUnchecked(claim)
      return isThere ? .removed : .alreadyGone
    }
    guard job.ticket.parcel.group == nil else {
      let disposal = try removeGroup()
      if disposal == .removed || disposal == .alreadyGone { try part.directory.held().clear(claim, after: disposal) }
      return disposal
    }
    return try part.directory.held().dispose(
      claim, job.identity, on: part.directory.terms(job.ticket.createdAt), job: job.number, archive: part.archive,
      isSent: isStillWhatWasUploaded, sidecarChanged: reportSidecar)
  }

  /// Reports that the sidecar was written to after its claim, and is in the spool again.
  private func reportSidecar() {
    let name = job.ticket.parcel.sidecar?.pattern.sidecar(of: job.ticket.name).shown ?? ""
    trouble.report(
      SpoolProblem(
        part.directory.options, .rewritten, .sidecarRewritten(name: name, job: job.number.rawValue),
        remedy: .seeDescription))
  }

  /// Returns true if a file with another inode or ctime still holds the uploaded bytes: state and spools may have moved to another disk
  /// or host, or somebody has changed the file's mode or removed another name of it. A sum of all its bytes decides. For a link that a
  /// person named there is no sum, so size and time decide.
  private func isStillWhatWasUploaded(_ now: FileIdentity) throws(FileError) -> Bool {
    guard now.mayHoldBytes(of: job.identity) else { return false }
    do throws(FileError) {
      let file = try part.directory.held().open(job.ticket.claim)
      if let recognized = job.recognized { return try file.has(sha256: recognized.sha256) }
      return try job.stored?.receipt?.isOf(file) ?? true
    } catch {
      // A file that can no longer be read becomes a new job, which asks a person.
      guard error.errno == EACCES else { throw error }
      return false
    }
  }
}
