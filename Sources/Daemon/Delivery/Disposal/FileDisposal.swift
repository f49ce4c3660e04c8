import Glibc
import Jobs
import Ledger
import Linux
import Messages
import ObjectStorage
import Seams
import Spool

extension Stages {
  /// Disposes of a finished job's file, in the spool that has it; blocks. Nil if no spool of this host has the file now.
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

  private func reportSidecar(of job: Job, _ trouble: SpoolTrouble) {
    let name = job.ticket.parcel.sidecar?.pattern.sidecar(of: job.ticket.name).shown ?? ""
    trouble.report(
      SpoolProblem(
        directory.options, .rewritten, .sidecarRewritten(name: name, job: job.number.rawValue),
        remedy: .seeDescription))
  }

  /// Returns true if a file with another inode or ctime still has the uploaded bytes, by a sum of them all. For a link that a person named
  /// there is no sum, so size and time decide.
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

  /// Removes or archives a registered group; `beingWritten` if it is to be checked again soon. If any file there is not what was sent, the
  /// group stays, and becomes a new job.
  func removeGroup(of job: Job, _ ledger: JobLedger) throws -> Disposal {
    let claim = job.ticket.claim
    let disposal: Disposal
    do {
      disposal = try removeOrArchive(claim, job, ledger)
    } catch let error as FileError {
      guard let conclusion = Self.conclusion(from: error, isThere: try directory.held().stands(claim)) else {
        throw error
      }
      disposal = conclusion
    }
    if case .changed = disposal { archive?.removeUnfinished(claim.id) }
    return disposal
  }

  /// Returns the disposal that an error stands for; for nil, the group stays, and the disposal is tried again. ENOENT may come from an
  /// archive that is not mounted, so only a look for the claim shows that it is gone.
  static func conclusion(from error: FileError, isThere: Bool) -> Disposal? {
    isThere ? error.isOfNoGroup ? .changed(nil) : nil : .alreadyGone
  }

  private func removeOrArchive(_ claim: ClaimReference, _ job: Job, _ ledger: JobLedger) throws -> Disposal {
    let (refusal, sum) = try compare(job, ledger, removing: false)
    if let refusal { return refusal }
    if let archive {
      switch try directory.held().archiveGroup(claim, holding: sum, job: job.number, in: archive) {
      case .renamed: return .removed
      // The next walk finds out if bytes have changed.
      case .changed: return .beingWritten
      case .copied: break
      }
    }
    if let refusal = try compare(job, ledger, removing: true).refusal { return refusal }
    guard try directory.held().removeEmptyGroup(claim) else { return .changed(nil) }
    Failpoint.fileRemoved.pass()
    if archive != nil { try directory.held().endArchive(claim.id) }
    return .removed
  }

  /// Compares each file with what was sent; with `removing`, removes it. Returns why the group must stay, and the sum of the compared
  /// files.
  private func compare(
    _ job: Job, _ ledger: JobLedger, removing: Bool
  ) throws -> (refusal: Disposal?, sum: GroupSum) {
    let claim = job.ticket.claim
    let pages = try directory.held().groupPages(claim)
    var wait: Duration?
    while case let page = try pages.next(upTo: JobLedger.memberPage), !page.isEmpty {
      let known = try ledger.members(page.filter { !$0.isMarker }.map(\.path), of: job.number)
      let refusal = try directory.held().end(
        page, of: claim, on: directory.terms(job.ticket.createdAt), removing: removing
      ) {
        file, now throws(FileError) in
        if file.isMarker { return true }
        return try job.isDone(with: now, known[file.path]) { receipt throws(FileError) in
          try receipt.isOf(try directory.held().open(claim, member: file.path)) ?? false
        }
      }
      switch refusal {
      case .changed, .beingWritten: return (refusal, pages.sum)
      case .tooYoung(let left):
        if removing { return (refusal, pages.sum) }
        wait = max(wait ?? .zero, left)
      case .removed, .alreadyGone, nil: continue
      }
    }
    return (wait.map { .tooYoung($0) }, pages.sum)
  }
}

extension Job {
  /// Returns true if a file of this registered group has no bytes that were not sent. If a person named the link, a file without a receipt
  /// counts if it has not changed since it was listed or, if it was not listed, since the claim.
  func isDone<Failure>(
    with file: FileIdentity, _ member: GroupMember?, holds: (UploadReceipt) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let isNamedByPerson = stored?.receipt == nil
    guard let member else { return isNamedByPerson && file.changed <= identity.changed }
    guard let receipt = member.receipt else { return isNamedByPerson && file.mayHoldBytes(of: member.identity) }
    if file == member.identity { return true }
    guard file.mayHoldBytes(of: member.identity) else { return false }
    return try holds(receipt)
  }
}
