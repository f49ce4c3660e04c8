import Failpoints
import Jobs
import Ledger
import LinuxFiles
import ObjectStorage
import Spool
import Threads

/// The result of a look at a group, or of its removal.
enum GroupDisposal: Equatable {
  case gone
  case changed
  case later(Duration)

  /// Draws the conclusion from an error; nil if there is none. Then the group stays, the error is told, and it is tried again.
  ///
  /// No error number says that a group is gone, whatever was called: ENOENT may be of an archive that is away, and EINVAL of a
  /// name that the archive's file system refuses. Only a look for the claim itself says it.
  init?(after error: FileError, isThere: Bool) {
    guard isThere else {
      self = .gone
      return
    }
    guard error.isOfNoGroup else { return nil }
    self = .changed
  }
}

/// The end of a group's files. Nothing of a group goes unless all of it is what was sent: no file more, none less, and nobody
/// writes to any. Otherwise all of it stays, and becomes a job of its own.
extension Disposals {
  func disposeOfGroup(_ job: Job, _ group: Parcel.Group, _ part: Stages.SpoolPart) async throws -> GroupDisposal {
    let (directory, ticket, workers) = (part.directory, job.ticket, stages.workers)
    guard job.state == .registered else {
      try await workers.run {
        try directory.removeGroupUnchecked(ticket.id, ticket.dropped)
        try directory.clearRecords(ticket.id)
      }
      return .gone
    }
    Failpoint.disposing.pass()
    try await stages.inheritMembers(of: job, MemberBook(ledger), part)
    let disposal: GroupDisposal
    do {
      disposal = try await removeOrArchive(job, group, part)
    } catch let error as FileError {
      let isThere = try await workers.run { try directory.hasGroup(ticket.id, ticket.dropped) }
      guard let conclusion = GroupDisposal(after: error, isThere: isThere) else { throw error }
      if conclusion == .gone { try await workers.run { try directory.clearGroup(ticket.id) } }
      disposal = conclusion
    }
    if disposal == .gone {
      try await workers.run { try directory.clearRecords(ticket.id) }
      Failpoint.disposed.pass()
    }
    return disposal
  }

  private func removeOrArchive(
    _ job: Job, _ group: Parcel.Group, _ part: Stages.SpoolPart
  ) async throws -> GroupDisposal {
    let (directory, ticket, workers) = (part.directory, job.ticket, stages.workers)
    let (refusal, sum) = try await walk(job, group, part, removing: false)
    if let refusal { return refusal }
    if let archive = part.archive {
      let archiving = try await workers.run {
        try directory.archiveGroup(ticket.id, ticket.dropped, holding: sum, job: job.number, in: archive)
      }
      switch archiving {
      case .moved: return .gone
      case .changed: return .changed
      case .copied: break
      }
    }
    if let refusal = try await walk(job, group, part, removing: true).refusal { return refusal }
    guard try await workers.run({ try directory.removeEmptyGroup(ticket.id, ticket.dropped) }) else { return .changed }
    Failpoint.fileRemoved.pass()
    if part.archive != nil { try await workers.run { try directory.endArchive(ticket.id) } }
    return .gone
  }

  /// Goes through all files, and compares each with what was sent.
  ///
  /// - Returns: the reason why the group must stay, nil if there is none; and the sum of the files that were compared.
  private func walk(
    _ job: Job, _ group: Parcel.Group, _ part: Stages.SpoolPart, removing: Bool
  ) async throws -> (refusal: GroupDisposal?, sum: GroupSum) {
    let (directory, ticket, workers) = (part.directory, job.ticket, stages.workers)
    let pages = try await workers.run { try directory.groupPages(ticket.id, ticket.dropped, marker: group.marker) }
    var wait: Duration?
    while true {
      let page = try await workers.run {
        try directory.confirmHold()
        return try pages.next(upTo: MemberBook.pageSize)
      }
      guard !page.isEmpty else { break }
      let known = try await ledger.members(page.filter { !$0.isMarker }.map(\.path), of: job.number)
      let isSame = try await workers.run {
        try page.allSatisfy { file in
          if file.isMarker { return true }
          return try job.isDone(with: file.identity, known[file.path]) { receipt in
            try receipt.isOf(try directory.open(ticket.id, ticket.dropped, member: file.path)) ?? false
          }
        }
      }
      guard isSame else { return (.changed, pages.sum) }
      let refusal = try await workers.run {
        removing
          ? try directory.remove(page, ticket.id, ticket.dropped, claimedAt: ticket.createdAt)
          : try directory.finality(of: page, ticket.id, ticket.dropped, claimedAt: ticket.createdAt)
      }
      switch refusal {
      case .changed: return (.changed, pages.sum)
      case .beingWritten: return (.later(directory.options.settleUnseen), pages.sum)
      case .tooYoung(let left):
        if removing { return (.later(left), pages.sum) }
        wait = max(wait ?? .zero, left)
      case .removed, .alreadyGone, nil: continue
      }
    }
    return (wait.map { .later($0) }, pages.sum)
  }

  /// Makes a job of its own of a group that was written to after its upload.
  ///
  /// - Returns: the time until it may be done; nil if it is.
  func readmitGroup(_ job: Job, _ group: Parcel.Group, _ part: Stages.SpoolPart) async throws -> Duration? {
    let (directory, ticket, workers, clock) = (part.directory, job.ticket, stages.workers, stages.clock)
    let unseen = directory.options.settleUnseen
    let (changed, isOpen) = try await workers.run { try directory.groupIsBeingWritten(ticket.id, ticket.dropped) }
    if isOpen { return max(unseen, .seconds(1)) }
    let left = unseen - (clock.now() - Timestamp(microseconds: changed / 1000))
    guard left <= .zero || left > unseen else { return left }
    var random = machine.random
    let id = JobID.mint(at: clock.now(), random: &random)
    let claim = try await workers.run {
      try directory.readmitGroup(ticket.id, ticket.dropped, as: id, marker: group.marker)
    }
    guard let claim else { return max(unseen, .seconds(1)) }
    try await admit(claim, in: directory)
    ledger.disposed([job])
    guard let new = try await ledger.job(.id(id)) else { return nil }
    stages.trouble.report(
      SpoolProblem(
        directory.options, .rewritten,
        "\(ticket.name.shown) was written to after job \(job.number) had uploaded it: all of it is kept, and has become job "
          + "\(new.number)",
        remedy: "let programs make the marker when they are done with the directory"))
    return nil
  }
}

extension Job {
  /// Returns true if a file of this registered group holds nothing that was not sent.
  ///
  /// If a person named the link, files without a receipt were not sent by the daemon. Each of them is done with if it is what it
  /// was when it was listed. If it was not listed, it must not have changed since the claim.
  func isDone(
    with file: FileIdentity, _ member: GroupMember?, holds: (UploadReceipt) throws -> Bool
  ) rethrows -> Bool {
    let isNamedByPerson = stored?.receipt == nil
    guard let member else { return isNamedByPerson && file.changed <= identity.changed }
    guard let receipt = member.receipt else { return isNamedByPerson && file.mayHoldBytes(of: member.identity) }
    if file == member.identity { return true }
    return try file.mayHoldBytes(of: member.identity) && holds(receipt)
  }
}
