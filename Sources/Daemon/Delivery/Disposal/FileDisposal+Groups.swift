import Jobs
import Ledger
import Linux
import ObjectStorage
import Seams
import Spool

/// Disposes of the files of groups. Nothing of a group is removed unless the whole group is what was sent: no file more, none
/// less, and nobody writes to any. Otherwise the whole group stays, and becomes a new job.
extension Stages.SpoolPart {
  /// Removes or archives a registered group; `beingWritten` if it is to be looked at again soon.
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

  /// Returns the disposal that an error stands for; nil if there is none. Then the group stays, the error is reported, and the
  /// disposal is tried again.
  ///
  /// No error number says that a group is gone: ENOENT may come from an archive that is not mounted, and EINVAL from a name that
  /// the archive's file system refuses. Only a look for the claim itself shows it.
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

  /// Goes through all files, and compares each with what was sent.
  ///
  /// - Returns: the reason why the group must stay, nil if there is none; and the sum of the files that were compared.
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
  /// Returns true if a file of this registered group holds nothing that was not sent.
  ///
  /// If a person named the link, files without a receipt were not sent by the daemon. Such a file counts if it has not changed
  /// since it was listed or, if it was not listed, since the claim.
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
