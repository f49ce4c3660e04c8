import Jobs
import Ledger
import Linux
import ObjectStorage
import Spool

/// Disposes of the files of groups. Nothing of a group is removed unless the whole group is as it was sent: no file more or less, and
/// no writers. Otherwise the whole group stays, and becomes a new job.
extension Disposals {
  /// Disposes of a registered or discarded group; `beingWritten` means that it is checked again soon.
  ///
  /// - Throws: `FileError` if it stays for now; the ledger's error.
  func disposeOfGroup(_ job: Job, _ part: Stages.SpoolPart) async throws -> Disposal {
    let (directory, claim, disposers) = (part.directory, job.ticket.claim, stages.disposers)
    guard job.state == .registered else {
      try await disposers.run { try directory.held().removeUnchecked(claim) }
      return .removed
    }
    Failpoint.disposing.pass()
    let disposal: Disposal
    do {
      disposal = try await removeOrArchive(job, part)
    } catch let error as FileError {
      let isThere = try await disposers.run { try directory.held().stands(claim) }
      guard let conclusion = Self.conclusion(from: error, isThere: isThere) else { throw error }
      disposal = conclusion
    }
    if case .changed = disposal, let archive = part.archive {
      try await disposers.run { archive.removeUnfinished(claim.id) }
    }
    if disposal == .removed || disposal == .alreadyGone {
      try await disposers.run { try directory.held().clear(claim, after: disposal) }
      Failpoint.disposed.pass()
    }
    return disposal
  }

  /// Returns the disposal that an error stands for; nil if there is none. Then the group stays, the error is reported, and the
  /// disposal is tried again.
  ///
  /// No error number proves that a group is gone: ENOENT may come from an archive that is not mounted, EINVAL from a name that the
  /// archive's file system refuses. Only a look for the claim proves it.
  static func conclusion(from error: FileError, isThere: Bool) -> Disposal? {
    isThere ? error.isOfNoGroup ? .changed(nil) : nil : .alreadyGone
  }

  private func removeOrArchive(_ job: Job, _ part: Stages.SpoolPart) async throws -> Disposal {
    let (directory, claim, disposers) = (part.directory, job.ticket.claim, stages.disposers)
    let (refusal, sum) = try await walk(job, part, removing: false)
    if let refusal { return refusal }
    if let archive = part.archive {
      let archiving = try await disposers.run {
        try directory.held().archiveGroup(claim, holding: sum, job: job.number, in: archive)
      }
      switch archiving {
      case .renamed: return .removed
      // The next walk finds out if bytes have changed.
      case .changed: return .beingWritten
      case .copied: break
      }
    }
    if let refusal = try await walk(job, part, removing: true).refusal { return refusal }
    guard try await disposers.run({ try directory.held().removeEmptyGroup(claim) }) else {
      return .changed(nil)
    }
    Failpoint.fileRemoved.pass()
    if part.archive != nil { try await disposers.run { try directory.held().endArchive(claim.id) } }
    return .removed
  }

  /// Goes through all files, and compares each with what was sent.
  ///
  /// - Returns: the reason why the group must stay, nil if there is none; and the sum of the files that were compared.
  private func walk(
    _ job: Job, _ part: Stages.SpoolPart, removing: Bool
  ) async throws -> (refusal: Disposal?, sum: GroupSum) {
    let (directory, ticket, disposers) = (part.directory, job.ticket, stages.disposers)
    let claim = ticket.claim
    let pages = try await disposers.run { try directory.held().groupPages(claim) }
    var wait: Duration?
    while true {
      let page = try await disposers.run { try pages.next(upTo: JobLedger.memberPage) }
      guard !page.isEmpty else { break }
      let known = try await ledger.members(page.filter { !$0.isMarker }.map(\.path), of: job.number)
      let refusal = try await disposers.run {
        try directory.held().end(page, of: claim, on: directory.terms(ticket.createdAt), removing: removing) {
          file, now throws(FileError) in
          if file.isMarker { return true }
          return try job.isDone(with: now, known[file.path]) { receipt throws(FileError) in
            try receipt.isOf(try directory.held().open(claim, member: file.path)) ?? false
          }
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
  /// Returns true if all bytes of a file of this registered group were sent.
  ///
  /// If a person named the link, files without a receipt were not sent by the daemon. Such a file counts as sent if it has not changed
  /// since it was listed, or else since the claim.
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
