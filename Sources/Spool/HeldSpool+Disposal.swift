import Failpoints
import Glibc
import Jobs
import LinuxFiles

/// What a claimed file has to be for it to be removed or archived.
struct DisposalTerms {
  /// The facts that it must still have.
  var identity: FileIdentity
  /// When it was claimed, by our own clock.
  var claimedAt: Timestamp
  /// How long it has to have been still since then, where nobody can be asked who has it open.
  var stillness: Duration
  /// The time now, by the wall's clock.
  var now: Timestamp
}

extension HeldSpool {
  /// Removes a claimed file if it is still the one expected, and nobody writes to it.
  func dispose(_ id: JobID, _ name: FileName, on terms: DisposalTerms) throws(FileError) -> Disposal {
    do throws(FileError) {
      let (directory, claimed) = try place(id, name)
      let (lease, refusal) = try finality(of: claimed, in: directory, on: terms)
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

  /// Finds out whether the bytes of a claimed file are final: it is the one expected, and no writer has it open. The kernel is
  /// asked by a lease, which holds up whoever would begin to write until it is let go of; where nobody can be asked, the file
  /// has to have been still for a while since its claim.
  ///
  /// - Returns: why it is not to be removed, if it is not; else the lease to hold until it is.
  func finality(
    of claimed: [UInt8], in directory: Directory, on terms: DisposalTerms
  ) throws(FileError) -> (ReadLease?, refusal: Disposal?) {
    let facts = try directory.facts(of: claimed)
    let identity = FileIdentity(facts)
    guard identity == terms.identity else { return (nil, .changed(identity)) }
    guard mayLease(facts) else { return (nil, youth(facts, terms)) }
    let lease = directory.lease(on: claimed, whose: facts)
    switch lease.writers {
    case .some: return (nil, .beingWritten)
    case .unknown: return (nil, youth(facts, terms))
    case .none:
      // What was written before the lease was had.
      let now = FileIdentity(try directory.facts(of: claimed))
      return (lease, now == terms.identity ? nil : .changed(now))
    }
  }

  /// Whether a lease can tell who has a file open: one of the daemon's own user, or any with CAP_LEASE.
  func mayLease(_ facts: FileFacts) -> Bool {
    grantsLeases && (ProcessRights.mayLeaseOthersFiles || facts.owner == ProcessRights.user)
  }

  private func youth(_ facts: FileFacts, _ terms: DisposalTerms) -> Disposal? {
    // The claim itself was a change of the inode. A ctime in the future is another machine's, or a clock's that was set.
    let changed = Timestamp(microseconds: facts.changed / 1000)
    let since = changed <= terms.now ? max(changed, terms.claimedAt) : terms.claimedAt
    let left = terms.stillness - (terms.now - since)
    return left > .zero && left <= terms.stillness ? .tooYoung(left) : nil
  }
}
