import Glibc
import Jobs
import Linux

/// A file of a claim in its place: the claimed file itself, a document or its sidecar, or one of a group's files.
struct Member {
  let directory: Directory
  let name: [UInt8]
  /// The facts that it has if it is what was sent.
  var identity: FileIdentity
  /// Takes the same file as it is open since its upload, once.
  var openFile: () -> OpenFile? = { nil }
}

/// The conditions for removing or archiving members of a claim.
struct DisposalTerms {
  /// The time at which it was claimed, by our own clock.
  var claimedAt: Timestamp
  /// The time that a member must have stayed unchanged since then, if nobody can tell who has it open.
  var stillness: Duration
  /// The time now, by the wall clock.
  var now: Timestamp
}

extension HeldSpool {
  /// The most looks at a member that has another ctime each time.
  private static let mostLooks = 4

  /// Does something with a member of a claim if it may go: it is what was sent, and no writer has it open. This is the one proof for
  /// files, sidecars and groups.
  ///
  /// Other facts are not yet other bytes: a mode, an owner or the removal of another name changes the ctime. So `isSent` is asked, and its
  /// answer about some facts holds as long as the member has them.
  ///
  /// - Parameter then: what is done with it, as it is known now, while the lease keeps writers out.
  /// - Returns: its result; or the reason why the member may not go.
  func whenFinal(
    _ member: Member, on terms: DisposalTerms, isSent: SentCheck, _ then: (Member) throws(FileError) -> Disposal?
  ) throws(FileError) -> Disposal? {
    var member = member
    for _ in 1...Self.mostLooks {
      let lease: ReadLease?
      var result: Disposal?
      do throws(FileError) {
        (lease, result) = try finality(of: member, on: terms)
      } catch {
        guard error.errno == ENOENT else { throw error }
        return .alreadyGone
      }
      if result == nil { result = try then(member) }
      withExtendedLifetime(lease) {}
      guard case .changed(let now?) = result, try isSent(now) else { return result }
      member.identity = now
    }
    // Its ctime changes all the time, as that of a file with many names that are removed: it is looked at once more.
    return .beingWritten
  }

  /// Removes a file.
  ///
  /// - Returns: `removed` or `alreadyGone`.
  func remove(_ name: [UInt8], from directory: Directory) throws(FileError) -> Disposal {
    let removal: Void? = try ifPresent { () throws(FileError) in try directory.remove(name) }
    return removal == nil ? .alreadyGone : .removed
  }

  /// Removes a file of a claim if it may go, or moves it into an archive.
  ///
  /// - Parameter member: the file; nil if it is gone with its directory.
  func end(
    _ member: Member?, of id: JobID, on terms: DisposalTerms, isSent: SentCheck, archiving: Archiving?
  ) throws(FileError) -> Disposal {
    let result = try member.flatMap { member throws(FileError) in
      try whenFinal(member, on: terms, isSent: isSent) { member throws(FileError) in
        guard let archiving else { return try remove(member.name, from: member.directory) }
        return try archive(member, of: id, archiving, at: terms.now)
      }
    }
    let end = result ?? .alreadyGone
    switch end {
    case .alreadyGone, .changed: archiving?.removeUnfinished()
    case .removed, .beingWritten, .tooYoung: break
    }
    return end
  }

  /// Removes or archives a claimed file if it may go.
  ///
  /// - Parameters:
  ///   - identity: its facts as they were sent.
  ///   - job: its number, for the name in an archive.
  ///   - archive: the archive; nil if it is removed. A second call after a crash finishes a copy without a second one, if
  ///     ``clear(_:after:)`` was not called meanwhile.
  func dispose(
    _ id: JobID, _ name: FileName, _ identity: FileIdentity, on terms: DisposalTerms, job: JobNumber?,
    archive: Archive?, isSent: SentCheck
  ) throws(FileError) -> Disposal {
    let kept = kept
    let place = try ifPresent { () throws(FileError) in try location(of: id, name) }
    if place == nil { _ = kept.remove(id) }
    let end = try end(
      place.map { Member(directory: $0.0, name: $0.1, identity: identity) { kept.remove(id) } }, of: id, on: terms,
      isSent: isSent,
      archiving: archive.map { archive in
        let names = archivedName(of: name, job, id)
        return Archiving(archive, below: names.directories, Archive.unfinished(id)) { _ in names.choices }
      })
    switch end {
    case .removed:
      if archive == nil { Failpoint.fileRemoved.pass() }
      try clearPlace(id, name)
    case .alreadyGone: try clearPlace(id, name)
    case .changed, .beingWritten, .tooYoung: break
    }
    return end
  }

  /// Finds out whether the bytes of a member are final: it is the expected file, and no writer has it open. It asks the
  /// kernel by taking a lease. The lease blocks a new writer until it is released. If the kernel cannot tell, the file must
  /// have stayed unchanged for some time since its claim.
  ///
  /// - Returns: the reason why it must not be removed, if there is one; otherwise the lease to hold until it is removed.
  private func finality(
    of member: Member, on terms: DisposalTerms
  ) throws(FileError) -> (ReadLease?, refusal: Disposal?) {
    guard grantsLeases else {
      if !isLocal { member.directory.refresh(member.name) }
      let facts = try member.directory.facts(of: member.name)
      return (nil, change(facts, member) ?? youth(facts, terms))
    }
    // It is looked at once, after the lease was asked for: it may have been written to before that.
    let (lease, facts) = try lease(member)
    if let change = change(facts, member) { return (nil, change) }
    switch lease.writers {
    case .some: return (nil, .beingWritten)
    case .unknown: return (nil, youth(facts, terms))
    case .none: return (lease, nil)
    }
  }

  /// Asks for the lease by the descriptor that is open since the upload, if nothing at all about the file has changed since its
  /// claim. Then the name still leads to it: a rename or removal would have set its ctime. Otherwise it is opened by its name.
  private func lease(_ member: Member) throws(FileError) -> (ReadLease, FileFacts) {
    if let file = member.openFile() {
      let (lease, facts) = try file.lease()
      if facts.links > 0, FileIdentity(facts) == member.identity { return (lease, facts) }
    }
    return try member.directory.leaseOurs(member.name)
  }

  /// True if a lease can tell who has a file open. This works for files of the daemon's own user, or for all files with
  /// CAP_LEASE.
  func mayLease(_ facts: FileFacts) -> Bool {
    grantsLeases && (mayLeaseOthersFiles || facts.owner == ProcessRights.user)
  }

  private func change(_ facts: FileFacts, _ member: Member) -> Disposal? {
    let identity = FileIdentity(facts)
    return identity == member.identity ? nil : .changed(identity)
  }

  private func youth(_ facts: FileFacts, _ terms: DisposalTerms) -> Disposal? {
    // The claim itself changed the inode. A ctime in the future comes from another machine, or from a clock that was set.
    let changed = Timestamp(microseconds: facts.changed / 1000)
    let since = changed <= terms.now ? max(changed, terms.claimedAt) : terms.claimedAt
    let left = terms.stillness - (terms.now - since)
    return left > .zero && left <= terms.stillness ? .tooYoung(left) : nil
  }
}
