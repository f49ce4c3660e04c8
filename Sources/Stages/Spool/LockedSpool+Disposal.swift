import Glibc
package import Jobs
package import Linux
import Seams

/// Returns whether a file of a claim, which has these facts at this moment, has the bytes that were sent.
package typealias SentCheck = (FileIdentity) throws(FileError) -> Bool

/// A file of a claim: the claimed file itself, a document or its sidecar, or one of a group's files.
struct Member {
  let directory: Directory
  let name: [UInt8]
  /// The facts that it must have to count as what was sent.
  var identity: FileIdentity
  /// Removes and returns the descriptor that is open since the upload; nil if there is none.
  var openFile: () -> OpenFile? = { nil }
}

/// The conditions for removing or archiving members of a claim.
package struct DisposalTerms {
  /// The time at which it was claimed, by this machine's clock.
  var claimedAt: Timestamp
  /// The time for which a member must have been unchanged since its claim, if it is not known who has it open.
  var stillness: Duration
  /// The current wall-clock time.
  var now: Timestamp
}

extension LockedSpool {
  /// The maximum number of checks of a member whose ctime differs each time.
  private static let mostLooks = 4

  /// Does something with a member of a claim if it may be removed: it is what was sent, and no writer has it open. All disposals
  /// (of files, sidecars and groups) use this one check.
  ///
  /// Other facts do not prove other bytes: a change of the mode or the owner, or the removal of another name, changes the ctime
  /// too. So `isSent` is asked about the new facts. Its answer is valid as long as the member has these facts.
  ///
  /// - Parameter then: is called with the member and its current facts, while the lease keeps writers out.
  /// - Returns: the result of `then`, or the reason why the member may not be removed.
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
    // Its ctime changed at every check, for example because many other names of the file are being removed. It is tried again
    // later.
    return .beingWritten
  }

  /// Removes a file of a claim, or moves it into an archive, if it may be removed.
  ///
  /// - Parameter member: the file; nil if its directory is gone.
  private func end(
    _ member: Member?, of id: JobID, on terms: DisposalTerms, isSent: SentCheck, archiving: Archiving?
  ) throws(FileError) -> Disposal {
    let result = try member.flatMap { member throws(FileError) in
      try whenFinal(member, on: terms, isSent: isSent) { member throws(FileError) in
        if let archiving { return try archive(member, of: id, archiving) }
        return try member.directory.removeIfPresent(member.name) ? .removed : .alreadyGone
      }
    }
    let end = result ?? .alreadyGone
    switch end {
    case .alreadyGone, .changed: archiving?.removeUnfinished()
    case .removed, .beingWritten, .tooYoung: break
    }
    return end
  }

  /// Removes the file of a claim, and then its sidecar, or moves them into an archive. Each goes if it is still what was sent and nobody
  /// writes to it; otherwise it is kept.
  ///
  /// A lease shows who has it open. If no lease can, the file is kept until it has been unchanged for ``SpoolOptions/settleUnseen``
  /// since its claim, by this machine's clock.
  ///
  /// In the archive it gets its own name; if that is taken, its name with the job's number. A path before the name is kept below
  /// the archive. On one file system this is a rename; otherwise the copy is durable before the file is removed. A second call
  /// completes a move that a crash interrupted, and makes no second copy.
  ///
  /// Neither a removal nor a rename is fsynced: after a crash the file may be there again, and the next start disposes of it
  /// again.
  ///
  /// - Parameters:
  ///   - identity: its facts when it was sent.
  ///   - isSent: is called if the file has other facts.
  ///   - sidecarChanged: is called if the sidecar was written to since its claim. It has bytes that nobody has read, and was put back into
  ///     the directory that it came from.
  package func dispose(
    _ claim: ClaimReference, _ identity: FileIdentity, on terms: DisposalTerms, job: JobNumber, archive: Archive?,
    isSent: SentCheck, sidecarChanged: () -> Void = {}
  ) throws(FileError) -> Disposal {
    let (kept, id, name) = (kept, claim.id, claim.name)
    let place = try ifPresent { () throws(FileError) in try claims.place(of: id, name) }
    if place == nil { _ = kept.remove(id) }
    let end = try end(
      place.map { Member(directory: $0.directory, name: $0.name, identity: identity) { kept.remove(id) } }, of: id,
      on: terms, isSent: isSent,
      archiving: archive.map { archive in
        let names = ArchivedName(name, job: job, id: id)
        return Archiving(archive: archive, path: names.directories, unfinished: Archive.unfinished(id)) { _ in
          names.choices
        }
      })
    switch end {
    case .removed: if archive == nil { Failpoint.fileRemoved.pass() }
    case .alreadyGone: break
    case .changed, .beingWritten, .tooYoung: return end
    }
    try claims.clearPlace(of: id, name)
    if let sidecar = claim.parcel.sidecar {
      let end = try dispose(sidecar, of: claim, on: terms, job: job, archive: archive, documentWas: identity)
      switch end {
      case .removed, .alreadyGone: break
      case .changed: sidecarChanged()
      case .beingWritten, .tooYoung: return end
      }
    }
    try clear(claim, after: end)
    return end
  }

  /// Removes the sidecar of a document that is gone, or moves it into the archive beside the document, under the name that fits the
  /// document's there.
  ///
  /// - Returns: the result; `changed` if it was put back.
  private func dispose(
    _ sidecar: Parcel.Sidecar, of claim: ClaimReference, on terms: DisposalTerms, job: JobNumber, archive: Archive?,
    documentWas: FileIdentity
  ) throws(FileError) -> Disposal {
    let (id, document, pattern) = (claim.id, claim.name, sidecar.pattern)
    guard let shelf = try shelf(pattern) else { return .alreadyGone }
    let place = try ifPresent { () throws(FileError) in try shelf.place(of: id, document) }
    let end = try end(
      place.map { Member(directory: $0.directory, name: $0.name, identity: sidecar.identity) }, of: id, on: terms,
      isSent: { now throws(FileError) in now.mayHoldBytes(of: sidecar.identity) },
      archiving: archive.map { archive in
        let names = ArchivedName(document, job: job, id: id)
        let unfinished = Archive.unfinished(id) + Array(".sidecar".utf8)
        return Archiving(archive: archive, path: names.directories, unfinished: unfinished) {
          directory throws(FileError) in
          try names.choices(of: documentWas, in: directory).map { pattern.sidecar(of: FileName(bytes: $0)).bytes }
        }
      })
    switch end {
    case .removed:
      if archive != nil { Failpoint.sidecarArchived.pass() }
      Failpoint.sidecarRemoved.pass()
      try shelf.clearPlace(of: id, document)
    case .alreadyGone: try shelf.clearPlace(of: id, document)
    case .changed:
      guard try putBack(pattern, id, document, into: try source(of: document)) else {
        throw FileError("put back", path: "\(shelf.path)/\(pattern.sidecar(of: document).shown)", errno: EEXIST)
      }
    case .beingWritten, .tooYoung: break
    }
    return end
  }

  /// Removes what is left beside a claim after its file or group is gone: the mark of its copy.
  ///
  /// - Parameter disposal: the result of its disposal, `removed` or `alreadyGone`.
  package func clear(_ claim: ClaimReference, after disposal: Disposal = .alreadyGone) throws(FileError) {
    // The removal of a single file leaves no mark. Skipping the check saves a system call for each file.
    if claim.parcel != .file || disposal == .alreadyGone { try removeMark(claim.id) }
  }

  /// Returns once all removals from `.waybill` so far are on disk.
  package func settleRemovals() throws(FileError) {
    try claims.sync(.removals)
    for (_, shelf) in try shelves() { try shelf.sync(.removals) }
  }

  /// Checks that a member will not change any more: it is the expected file, and no writer has it open. The kernel answers that
  /// by granting a lease, which blocks a new writer until it is released. If no lease can tell, the file must have been unchanged
  /// for some time since its claim.
  ///
  /// - Returns: the reason why it must not be removed; or, without a reason, the lease to keep until it is removed (nil if no
  ///   lease can tell).
  private func finality(
    of member: Member, on terms: DisposalTerms
  ) throws(FileError) -> (ReadLease?, refusal: Disposal?) {
    guard grantsLeases else {
      if !isLocal { member.directory.refresh(member.name) }
      let facts = try member.directory.facts(of: member.name)
      return (nil, change(facts, member) ?? youth(facts, terms))
    }
    // The facts are read once, after the request for the lease: before that, the file may still have been written to.
    let (lease, facts) = try lease(member)
    if let change = change(facts, member) { return (nil, change) }
    switch lease.writers {
    case .some: return (nil, .beingWritten)
    case .unknown: return (nil, youth(facts, terms))
    case .none: return (lease, nil)
    }
  }

  /// Asks for the lease on the descriptor that is open since the upload, if no fact about the file has changed since its claim.
  /// The name still leads to this file then: a rename or removal would have changed its ctime. Otherwise the file is opened by
  /// its name.
  private func lease(_ member: Member) throws(FileError) -> (ReadLease, FileFacts) {
    if let file = member.openFile() {
      let (lease, facts) = try file.lease()
      if facts.links > 0, FileIdentity(facts) == member.identity { return (lease, facts) }
    }
    return try member.directory.leaseOurs(member.name)
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
