import Glibc
import Jobs
import Linux
import Messages
import ObjectStorage
import Spool

/// Disposes of a job's file, and of its sidecar, in one spool.
struct FileDisposal {
  /// The result, and the spool with the file.
  typealias End = (part: Stages.SpoolPart, result: Result<Disposal, any Error>)

  private let job: Job
  private let part: Stages.SpoolPart
  private let trouble: SpoolTrouble

  /// Disposes of the file of a registered, skipped or discarded job, in the spool that has it.
  ///
  /// - Returns: nil if no spool of this host has the file now.
  static func end(of job: Job, by stages: Stages) -> End? {
    guard let own = stages.parts[job.ticket.spool] else {
      return stages.otherPart(holding: job).map { carryOut(job, in: $0, stages) }
    }
    let end = carryOut(job, in: own, stages)
    guard case .success(.alreadyGone) = end.result, let other = stages.otherPart(holding: job) else { return end }
    return carryOut(job, in: other, stages)
  }

  private static func carryOut(_ job: Job, in part: Stages.SpoolPart, _ stages: Stages) -> End {
    Failpoint.disposing.pass()
    defer { Failpoint.disposed.pass() }
    let disposal = FileDisposal(job: job, part: part, trouble: stages.trouble)
    return (part, Result { try disposal.carryOut() })
  }

  private func carryOut() throws -> Disposal {
    let claim = job.ticket.claim
    guard job.state == .registered || job.state == .skipped else {
      let isThere = try part.directory.held().hasClaim(claim)
      try part.directory.held().removeUnchecked(claim)
      return isThere ? .removed : .alreadyGone
    }
    let disposal = try remove()
    if disposal == .removed || disposal == .alreadyGone { try part.directory.held().clear(claim, after: disposal) }
    return disposal
  }

  private func remove() throws -> Disposal {
    let disposal = try removeDocument()
    guard let sidecar = job.ticket.parcel.sidecar, disposal == .removed || disposal == .alreadyGone else {
      return disposal
    }
    return try remove(sidecar) ?? disposal
  }

  /// Removes or archives the sidecar of a document that is gone.
  ///
  /// - Returns: the reason why it is still there; nil if it is gone.
  private func remove(_ sidecar: Parcel.Sidecar) throws -> Disposal? {
    let ticket = job.ticket
    let disposal = try part.directory.held().disposeSidecar(
      sidecar, of: ticket.claim, on: part.directory.terms(ticket.createdAt), job: job.number, archive: part.archive,
      documentWas: job.identity)
    switch disposal {
    case .removed, .alreadyGone: return nil
    case .beingWritten, .tooYoung: return disposal
    case .changed:
      let name = sidecar.pattern.sidecar(of: ticket.name).shown
      trouble.report(
        SpoolProblem(
          part.directory.options, .rewritten, .sidecarRewritten(name: name, job: job.number.rawValue),
          remedy: .seeDescription))
      return nil
    }
  }

  private func removeDocument() throws(FileError) -> Disposal {
    let ticket = job.ticket
    return try part.directory.held().dispose(
      ticket.claim, job.identity, on: part.directory.terms(ticket.createdAt), job: job.number,
      archive: part.archive, isSent: isStillWhatWasUploaded)
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
