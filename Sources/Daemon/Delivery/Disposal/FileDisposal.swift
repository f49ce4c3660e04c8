import Glibc
import Jobs
import Ledger
import Linux
import Messages
import ObjectStorage
import Seams
import Spool

extension Stages {
  /// Disposes of the file of a registered, skipped or discarded job, in the spool that has it. It blocks.
  ///
  /// - Returns: nil if no spool of this host has the file now.
  func dispose(of job: Job, _ ledger: JobLedger) -> SpoolPart.End? {
    let own = parts[job.ticket.spool].map { $0.dispose(of: job, ledger, trouble) }
    if let own {
      guard case .success(.alreadyGone) = own.result else { return own }
    }
    return otherPart(holding: job)?.dispose(of: job, ledger, trouble) ?? own
  }
}

extension Stages.SpoolPart {
  /// The result of a disposal, and the spool with the file.
  typealias End = (part: Stages.SpoolPart, result: Result<Disposal, any Error>)

  /// Disposes of a job's file with its sidecar, or of its group, in this spool.
  fileprivate func dispose(of job: Job, _ ledger: JobLedger, _ trouble: SpoolTrouble) -> End {
    Failpoint.disposing.pass()
    defer { Failpoint.disposed.pass() }
    return (self, Result { try carryOut(job, ledger, trouble) })
  }

  private func carryOut(_ job: Job, _ ledger: JobLedger, _ trouble: SpoolTrouble) throws -> Disposal {
    precondition(job.state.phase == .done, "the file of a job that is not over was to be removed")
    let claim = job.ticket.claim
    guard job.state == .registered || job.state == .skipped else {
      let isThere = try directory.held().hasClaim(claim)
      try directory.held().removeUnchecked(claim)
      return isThere ? .removed : .alreadyGone
    }
    guard job.ticket.parcel.group == nil else {
      let disposal = try removeGroup(of: job, ledger)
      if disposal == .removed || disposal == .alreadyGone { try directory.held().clear(claim, after: disposal) }
      return disposal
    }
    return try directory.held().dispose(
      claim, job.identity, on: directory.terms(job.ticket.createdAt), job: job.number, archive: archive,
      isSent: { now throws(FileError) in try isStillUploaded(job, now) },
      sidecarChanged: { reportSidecar(of: job, trouble) })
  }

  /// Reports that the sidecar was written to after its claim, and is in the spool again.
  private func reportSidecar(of job: Job, _ trouble: SpoolTrouble) {
    let name = job.ticket.parcel.sidecar?.pattern.sidecar(of: job.ticket.name).shown ?? ""
    trouble.report(
      SpoolProblem(
        directory.options, .rewritten, .sidecarRewritten(name: name, job: job.number.rawValue),
        remedy: .seeDescription))
  }

  /// Returns true if a file with another inode or ctime still holds the uploaded bytes: state and spools may have moved to another disk
  /// or host, or somebody has changed the file's mode or removed another name of it. A sum of all its bytes decides. For a link that a
  /// person named there is no sum, so size and time decide.
  private func isStillUploaded(_ job: Job, _ now: FileIdentity) throws(FileError) -> Bool {
    guard now.mayHoldBytes(of: job.identity) else { return false }
    do throws(FileError) {
      let file = try directory.held().open(job.ticket.claim)
      if let recognized = job.recognized { return try file.has(sha256: recognized.sha256) }
      return try job.stored?.receipt?.isOf(file) ?? true
    } catch {
      // A file that can no longer be read becomes a new job, which asks a person.
      guard error.errno == EACCES else { throw error }
      return false
    }
  }
}
