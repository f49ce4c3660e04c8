import Glibc
import Jobs
public import Linux

/// Pairs in a shared spool: the previous host may have stopped between the two files of a pair.
extension SpoolDirectory {
  /// The result for a stranded sidecar, according to the records beside it.
  public enum StrandedEnd: Hashable, Sendable {
    /// Its document was disposed of, and so is the sidecar.
    case ended
    /// Its document was disposed of. The sidecar may still be open for writing, so it is tried again.
    case later
    /// No record shows that its job is over, so it is to be put back.
    case unknown
  }

  /// Completes the disposal of a pair whose previous host has disposed of the document but not of the sidecar.
  public func endStranded(_ sidecar: StrandedSidecar, archive: Archive?) throws(FileError) -> StrandedEnd {
    let held = try held()
    let (id, document) = (sidecar.id, sidecar.document)
    if let stop = try held.stop(id) {
      guard stop.kind == .discarded else { return .unknown }
      try held.removeSidecar(id, document)
    } else {
      guard let record = try held.storedRecord(id),
        let facts = try SidecarShelf.find(sidecar.pattern, in: held.claims)?.facts(id, document)
      else { return .unknown }
      let identity = FileIdentity(facts)
      let disposal = try held.disposeSidecar(
        Parcel.Sidecar(pattern: sidecar.pattern, identity: identity), id, document,
        on: terms(id.mintedAt ?? wallClock()), job: nil, archive: archive, documentWas: record.identity)
      switch disposal {
      case .removed, .alreadyGone, .changed: break
      case .beingWritten, .tooYoung: return .later
      }
    }
    try held.clearRecords(id)
    return .ended
  }

  /// Returns a claim together with its sidecar, if that is in the spool. A host that had lost the spool, and did not know it yet,
  /// may have claimed the document after the next holder had put the sidecar back.
  ///
  /// - Throws: EAGAIN while the sidecar may still be open for writing.
  public func withSidecarInSpool(_ claim: Claim) throws(FileError) -> Claim {
    guard isShared, let pattern = options.sidecar, claim.sidecar == nil, claim.group == nil else { return claim }
    let held = try held()
    guard try held.storedRecord(claim.id) == nil else { return claim }
    let name = pattern.sidecar(of: claim.dropped).last
    let (folder, facts): (Directory, FileFacts)
    do throws(FileError) {
      folder = claim.path.isEmpty ? try held.spool : try held.spool.directory(below: claim.path).reopened()
      facts = try folder.facts(of: name.bytes)
    } catch {
      guard error.isOfSomethingGone || error.errno == EACCES else { throw error }
      return claim
    }
    guard facts.kind == .regular else { return claim }
    let age = wallClock() - Timestamp(microseconds: facts.changed / 1000)
    // A ctime in the future comes from another machine's clock and says nothing.
    let isStill = age < .zero || age >= options.settleUnseen
    guard isStill, folder.writers(of: name.bytes, whose: facts) != .some else {
      throw FileError(
        "take", path: "\(folder.path)/\(name.shown)", errno: EAGAIN, advice: "it may still be being written")
    }
    guard try held.claimSidecar(pattern, of: claim.dropped, from: folder, as: claim.id) else { return claim }
    try SidecarShelf.find(pattern, in: held.claims)?.sync([(claim.id, claim.dropped)])
    let place = try held.location(of: claim.id, claim.dropped)
    return try held.read(
      claim.id, claim.dropped, at: place, try held.facts(ClaimReference(claim.id, claim.dropped)), withSidecar: true
    ).claim
  }
}
