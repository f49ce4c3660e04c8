import Glibc
package import Jobs
package import Linux
import Seams

/// Returns true if a file of a claim, with these facts now, has the bytes that were sent.
package typealias SentCheck = (FileIdentity) throws(FileError) -> Bool

/// A file of a claim: the claimed file itself, a document or its sidecar, or one of a group's files.
struct Member {
  let directory: Directory
  let name: [UInt8]
  /// The facts of what was sent.
  var identity: FileIdentity
}

package struct DisposalTerms {
  /// The time of the claim, by this machine's clock.
  var claimedAt: Timestamp
  /// The time for which a member must have been unchanged since its claim, if it is not known who has it open.
  var stillness: Duration
  var now: Timestamp
}

extension LockedSpool {
  /// The maximum number of checks of a member whose ctime differs each time.
  private static let mostLooks = 4

  /// Calls `then` with a member of a claim and its current facts, under the lease that keeps writers out, if it is what was sent, and no
  /// writer has it open; returns its result, or the reason why the member may not be removed. All disposals use this one check.
  ///
  /// A change of the mode or the owner, or the removal of another name, changes the ctime too. So `isSent` is asked about new facts.
  func whenFinal(
    _ member: Member, on terms: DisposalTerms, isSent: SentCheck, _ then: (Member) throws(FileError) -> Disposal?
  ) throws(FileError) -> Disposal? {
    var member = member
    for _ in 1...Self.mostLooks {
      guard let (lease, refusal) = try ifPresent({ () throws(FileError) in try finality(of: member, on: terms) }) else {
        return .alreadyGone
      }
      var result = refusal
      if result == nil { result = try then(member) }
      withExtendedLifetime(lease) {}
      guard case .changed(let now?) = result, try isSent(now) else { return result }
      member.identity = now
    }
    // The ctime changed at every check, perhaps because many other names of the file are being removed. A later call tries again.
    return .beingWritten
  }

  /// Removes a file of a claim from `.waybill` or the shelf of its sidecar, or moves it into an archive, if it may be removed.
  private func end(
    _ claim: ClaimReference, in root: Directory, _ identity: FileIdentity, on terms: DisposalTerms, isSent: SentCheck,
    _ target: (archive: Archive, name: ArchivedName)?
  ) throws(FileError) -> Disposal {
    let place = try ifPresent { () throws(FileError) in try root.place(of: claim.id, claim.name) }
    let result = try place.flatMap { place throws(FileError) in
      let member = Member(directory: place.directory, name: place.name, identity: identity)
      return try whenFinal(member, on: terms, isSent: isSent) { member throws(FileError) in
        if let target { return try archive(member, of: claim.id, in: target.archive, as: target.name) }
        return try member.directory.removeIfPresent(member.name) ? .removed : .alreadyGone
      }
    }
    let end = result ?? .alreadyGone
    switch end {
    case .alreadyGone, .changed:
      if let (archive, name) = target { archive.remove(name.unfinished, below: name.directories) }
    case .removed, .beingWritten, .tooYoung: break
    }
    return end
  }

  /// Removes the file of a claim, and then its sidecar, or moves them into an archive, each if it is still what was sent and nobody writes
  /// to it (``whenFinal(_:on:isSent:_:)``). In the archive the file has its path and name; if the name is taken, the job's number is added.
  /// A sidecar gets the name that fits its document's. Neither a removal nor a rename is fsynced: after a crash the next start disposes of
  /// the file again.
  /// - Parameter sidecarChanged: is called if the sidecar was written to since its claim, and is in the spool again.
  package func dispose(
    _ claim: ClaimReference, _ identity: FileIdentity, on terms: DisposalTerms, job: JobNumber, archive: Archive?,
    isSent: SentCheck, sidecarChanged: () -> Void = {}
  ) throws(FileError) -> Disposal {
    requireClaimed(claim)
    let (id, name) = (claim.id, claim.name)
    let others = claim.parcel.sidecar?.pattern.sidecar(of: FileName(bytes: [])).bytes.count ?? 0
    var archived = archive.map {
      (archive: $0, name: ArchivedName(name, job: job, id: id, longest: ArchivedName.longestName - others))
    }
    let end = try end(claim, in: claims, identity, on: terms, isSent: isSent, archived)
    switch end {
    case .removed: if archive == nil { Failpoint.fileRemoved.pass() }
    case .alreadyGone: break
    case .changed, .beingWritten, .tooYoung: return end
    }
    try claims.clearPlace(of: id, name)
    if let sidecar = claim.parcel.sidecar, let shelf = try shelf(sidecar.pattern) {
      archived?.name.document = (identity, sidecar.pattern)
      let sidecarEnd = try self.end(
        claim, in: shelf, sidecar.identity, on: terms,
        isSent: { now throws(FileError) in now.mayHoldBytes(of: sidecar.identity) }, archived)
      switch sidecarEnd {
      case .removed:
        if archive != nil { Failpoint.sidecarArchived.pass() }
        Failpoint.sidecarRemoved.pass()
        try shelf.clearPlace(of: id, name)
      case .alreadyGone: try shelf.clearPlace(of: id, name)
      case .changed:
        guard try putBack(sidecar.pattern, id, name, into: try source(of: name)) else {
          throw FileError("put back", path: "\(shelf.path)/\(sidecar.pattern.sidecar(of: name).shown)", errno: EEXIST)
        }
        sidecarChanged()
      case .beingWritten, .tooYoung: return sidecarEnd
      }
    }
    try clear(claim, after: end)
    return end
  }

  /// Removes the mark of a copy beside a claim whose file or group is gone (`removed` or `alreadyGone`).
  package func clear(_ claim: ClaimReference, after disposal: Disposal = .alreadyGone) throws(FileError) {
    // The removal of a single file leaves no mark. Skipping the check saves a system call for each file.
    if claim.parcel != .file || disposal == .alreadyGone { try removeMark(claim.id) }
  }

  /// Returns once all removals from `.waybill` so far are on disk.
  package func settleRemovals() throws(FileError) {
    try claims.sync(.removals)
    for (_, shelf) in try shelves() { try shelf.sync(.removals) }
  }

  /// Checks that a member will not change any more: it is the expected file, and no writer has it open, as a lease proves, which blocks new
  /// writers until its release. If no lease can tell, the file must have been unchanged for some time since its claim. Returns the reason
  /// why it must not be removed; or the lease to keep until then, nil if no lease can tell.
  private func finality(
    of member: Member, on terms: DisposalTerms
  ) throws(FileError) -> (ReadLease?, refusal: Disposal?) {
    guard grantsLeases else {
      if !isLocal { member.directory.refresh(member.name) }
      let facts = try member.directory.facts(of: member.name)
      return (nil, change(facts, member) ?? youth(facts, terms))
    }
    // The facts are read once, after the request for the lease: before that, the file may still have been written to.
    let (lease, facts) = try member.directory.leaseOurs(member.name)
    if let change = change(facts, member) { return (nil, change) }
    switch lease.writers {
    case .some: return (nil, .beingWritten)
    case .unknown: return (nil, youth(facts, terms))
    case .none: return (lease, nil)
    }
  }

  private func change(_ facts: FileFacts, _ member: Member) -> Disposal? {
    let identity = FileIdentity(facts)
    return identity == member.identity ? nil : .changed(identity)
  }

  private func youth(_ facts: FileFacts, _ terms: DisposalTerms) -> Disposal? {
    // The claim itself changed the ctime. A ctime in the future comes from another machine, or from a clock that was set back.
    let changed = Timestamp(microseconds: facts.changed / 1000)
    let since = changed <= terms.now ? max(changed, terms.claimedAt) : terms.claimedAt
    let left = terms.stillness - (terms.now - since)
    return left > .zero && left <= terms.stillness ? .tooYoung(left) : nil
  }
}
