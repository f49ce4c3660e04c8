import Failpoints
import Glibc
import Jobs
import LinuxFiles

/// The conditions for removing or archiving a claimed file.
struct DisposalTerms {
  /// The facts that it must still have.
  var identity: FileIdentity
  /// The time at which it was claimed, by our own clock.
  var claimedAt: Timestamp
  /// The time that it must have stayed unchanged since then, if nobody can tell who has it open.
  var stillness: Duration
  /// The time now, by the wall clock.
  var now: Timestamp
}

extension HeldSpool {
  /// Removes a claimed file if it is still the expected one and nobody writes to it.
  func dispose(_ id: JobID, _ name: FileName, on terms: DisposalTerms) throws(FileError) -> Disposal {
    do throws(FileError) {
      let (directory, claimed) = try location(of: id, name)
      let (lease, refusal) = try finality(of: claimed, in: directory, on: terms, open: kept.take(id))
      if let refusal { return refusal }
      try directory.remove(claimed)
      withExtendedLifetime(lease) {}
      Failpoint.fileRemoved.pass()
    } catch {
      guard error.errno == ENOENT else { throw error }
      try clearPlace(id, name)
      return .alreadyGone
    }
    try clearPlace(id, name)
    return .removed
  }

  /// Finds out whether the bytes of a claimed file are final: it is the expected file, and no writer has it open. It asks the
  /// kernel by taking a lease. The lease blocks a new writer until it is released. If the kernel cannot tell, the file must
  /// have stayed unchanged for some time since its claim.
  ///
  /// - Parameter file: the file as it is open since its upload, if it is.
  /// - Returns: the reason why it must not be removed, if there is one; otherwise the lease to hold until it is removed.
  func finality(
    of claimed: [UInt8], in directory: Directory, on terms: DisposalTerms, open file: OpenFile? = nil
  ) throws(FileError) -> (ReadLease?, refusal: Disposal?) {
    guard grantsLeases else {
      if !isLocal { directory.refresh(claimed) }
      let facts = try directory.facts(of: claimed)
      return (nil, change(facts, terms) ?? youth(facts, terms))
    }
    // It is looked at once, after the lease was asked for: it may have been written to before that.
    let (lease, facts) = try lease(file, claimed, in: directory, on: terms)
    if let change = change(facts, terms) { return (nil, change) }
    switch lease.writers {
    case .some: return (nil, .beingWritten)
    case .unknown: return (nil, youth(facts, terms))
    case .none: return (lease, nil)
    }
  }

  /// Asks for the lease by the descriptor that is open since the upload, if nothing at all about the file has changed since its
  /// claim. Then the name still leads to it: a rename or removal would have set its ctime. Otherwise it is opened by its name.
  private func lease(
    _ file: OpenFile?, _ claimed: [UInt8], in directory: Directory, on terms: DisposalTerms
  ) throws(FileError) -> (ReadLease, FileFacts) {
    if let file {
      let (lease, facts) = try file.lease()
      if facts.links > 0, FileIdentity(facts) == terms.identity { return (lease, facts) }
    }
    return try directory.leaseOurs(claimed)
  }

  /// True if a lease can tell who has a file open. This works for files of the daemon's own user, or for all files with
  /// CAP_LEASE.
  func mayLease(_ facts: FileFacts) -> Bool {
    grantsLeases && (mayLeaseOthersFiles || facts.owner == ProcessRights.user)
  }

  private func change(_ facts: FileFacts, _ terms: DisposalTerms) -> Disposal? {
    let identity = FileIdentity(facts)
    return identity == terms.identity ? nil : .changed(identity)
  }

  private func youth(_ facts: FileFacts, _ terms: DisposalTerms) -> Disposal? {
    // The claim itself changed the inode. A ctime in the future comes from another machine, or from a clock that was set.
    let changed = Timestamp(microseconds: facts.changed / 1000)
    let since = changed <= terms.now ? max(changed, terms.claimedAt) : terms.claimedAt
    let left = terms.stillness - (terms.now - since)
    return left > .zero && left <= terms.stillness ? .tooYoung(left) : nil
  }
}
