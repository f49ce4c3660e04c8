public import Jobs
public import Linux

/// Tells whether a file of a claim that has these facts now holds the bytes that were sent.
public typealias SentCheck = (FileIdentity) throws(FileError) -> Bool

/// The end of a claim: it is removed, archived, given back, or gets another id.
extension SpoolDirectory {
  /// Returns true if a claim is in its place, or something that its disposal removes later: its sidecar, or the mark of its copy in the
  /// archive. Throws if nobody can tell, as while the spool itself is away.
  public func hasClaim(_ claim: ClaimReference) throws(FileError) -> Bool { try held().hasClaim(claim) }

  /// Returns true if a claim is in its place. Throws as ``hasClaim(_:)`` does.
  public func stands(_ claim: ClaimReference) throws(FileError) -> Bool { try held().stands(claim.id, claim.name) }

  /// Removes a claimed file, or moves it into an archive, if it is still what was sent and nobody writes to it; otherwise keeps it.
  ///
  /// A lease tells who has it open. If no lease can tell, the file is kept until it has stayed unchanged for
  /// ``SpoolOptions/settleUnseen`` since `claimedAt`, by our own clock.
  ///
  /// In the archive it gets its own name, with the number of its job in it if that name is taken. If the name has a path, the path is
  /// kept below the archive. On one file system this is a rename. Between two, the copy is durable before the file is removed. A second
  /// call finishes a move that a crash interrupted, without a second copy.
  ///
  /// Neither a removal nor a rename is fsynced: a crash may bring the file back, and the next start disposes of it again.
  ///
  /// - Parameters:
  ///   - identity: its facts as they were sent.
  ///   - isSent: asked about other facts than these.
  public func dispose(
    _ id: JobID, _ name: FileName, expecting identity: FileIdentity, claimedAt: Timestamp, job: JobNumber? = nil,
    archive: Archive? = nil, isSent: SentCheck = { _ throws(FileError) in false }
  ) throws(FileError) -> Disposal {
    try held().dispose(id, name, identity, on: terms(claimedAt), job: job, archive: archive, isSent: isSent)
  }

  func terms(_ claimedAt: Timestamp) -> DisposalTerms {
    DisposalTerms(claimedAt: claimedAt, stillness: options.settleUnseen, now: wallClock())
  }

  /// Returns the time of the last change of a claim, in nanoseconds since the Unix epoch, and whether somebody has a file of it open for
  /// writing, as far as a lease can tell.
  public func lastChange(of claim: ClaimReference) throws(FileError) -> (changed: Int64, isOpen: Bool) {
    try held().lastChange(of: claim)
  }

  /// Gives a claim another id, so that bytes written to it after its job was registered can become a job of their own. Durable on
  /// return.
  ///
  /// - Returns: the claim under the new id, with the facts that it has now.
  public func readmit(_ claim: ClaimReference, as newID: JobID) throws(FileError) -> Claim {
    try held().readmit(claim, as: newID)
  }

  /// Returns when all removals from `.waybill` so far are on disk.
  public func settleRemovals() throws(FileError) {
    let held = try held()
    try held.claims.sync(.removals)
    try held.syncSidecarRemovals()
  }

  /// Opens a directory that a person has named for released files.
  ///
  /// Throws ENOENT if there is none, and EPERM for one that the service has for itself.
  public static func releaseTarget(_ path: String) throws(FileError) -> Directory { try HeldSpool.target(path) }

  /// Durably gives a claim a place in a directory, under its own names, and replaces nothing. A second call after a crash finishes it.
  /// Throws EEXIST if somebody else's file has one of the names.
  public func release(_ claim: ClaimReference, into directory: Directory) throws(FileError) {
    try held().release(claim, into: directory)
  }

  /// Removes a claim with all that belongs to it, whatever that holds, once the ledger has it as released or discarded. It is no error if
  /// it is gone already.
  public func removeUnchecked(_ claim: ClaimReference) throws(FileError) { try held().removeUnchecked(claim) }

  /// Removes what is left beside a claim of which nothing else is: the mark of its copy, and what stands there for other hosts.
  ///
  /// - Parameter disposal: the result of its disposal, `removed` or `alreadyGone`.
  public func clear(_ claim: ClaimReference, after disposal: Disposal) throws(FileError) {
    try held().clear(claim, after: disposal)
  }
}
