public import Jobs
public import Linux

/// Returns whether a file of a claim, which has these facts at this moment, has the bytes that were sent.
public typealias SentCheck = (FileIdentity) throws(FileError) -> Bool

/// The end of a claim: it is removed, archived, released, or gets another id.
extension SpoolDirectory {
  /// Returns true if a claim is in its place, or something that its disposal removes later: its sidecar, or the mark of its copy
  /// in the archive. Throws if that cannot be determined, for example while the spool itself is unavailable.
  public func hasClaim(_ claim: ClaimReference) throws(FileError) -> Bool { try held().hasClaim(claim) }

  /// Returns true if a claim is in its place. Throws like ``hasClaim(_:)``.
  public func stands(_ claim: ClaimReference) throws(FileError) -> Bool { try held().stands(claim) }

  /// Removes a claimed file, or moves it into an archive, if it is still what was sent and nobody writes to it; otherwise keeps
  /// it.
  ///
  /// A lease shows who has it open. If no lease can, the file is kept until it has been unchanged for
  /// ``SpoolOptions/settleUnseen`` since `claimedAt`, by this machine's clock.
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
  public func dispose(
    _ id: JobID, _ name: FileName, expecting identity: FileIdentity, claimedAt: Timestamp, job: JobNumber,
    archive: Archive?, isSent: SentCheck
  ) throws(FileError) -> Disposal {
    try held().dispose(id, name, identity, on: terms(claimedAt), job: job, archive: archive, isSent: isSent)
  }

  func terms(_ claimedAt: Timestamp) -> DisposalTerms {
    DisposalTerms(claimedAt: claimedAt, stillness: options.settleUnseen, now: wallClock())
  }

  /// Returns the time of the last change of a claim, in nanoseconds since the Unix epoch, and whether one of its files is open
  /// for writing, as far as a lease shows that.
  public func lastChange(of claim: ClaimReference) throws(FileError) -> (changed: Int64, isOpen: Bool) {
    try held().lastChange(of: claim)
  }

  /// Gives a claim another id, so that bytes written after the registration of its job can become a job of their own. Durable on
  /// return.
  ///
  /// - Returns: the claim under the new id, with its current facts.
  public func readmit(_ claim: ClaimReference, as newID: JobID) throws(FileError) -> Claim {
    try held().readmit(claim, as: newID)
  }

  /// Returns once all removals from `.waybill` so far are on disk.
  public func settleRemovals() throws(FileError) {
    let held = try held()
    try held.claims.sync(.removals)
    try held.syncSidecarRemovals()
  }

  /// Opens a directory that a person has named for released files.
  ///
  /// - Throws: ENOENT if there is none, and EPERM for a directory that only the service can see.
  public static func releaseTarget(_ path: String) throws(FileError) -> Directory { try LockedSpool.target(path) }

  /// Durably puts the files of a claim into a directory, under the names they were dropped with, replacing nothing. A second call
  /// after a crash completes it. Throws EEXIST if another file has one of the names.
  public func release(_ claim: ClaimReference, into directory: Directory) throws(FileError) {
    try held().release(claim, into: directory)
  }

  /// Removes a claim and everything that belongs to it, without checking its contents, once the ledger has it as released or
  /// discarded. It is no error if it is already gone.
  public func removeUnchecked(_ claim: ClaimReference) throws(FileError) { try held().removeUnchecked(claim) }

  /// Removes what is left beside a claim after its file or group is gone: the mark of its copy.
  ///
  /// - Parameter disposal: the result of its disposal, `removed` or `alreadyGone`.
  public func clear(_ claim: ClaimReference, after disposal: Disposal) throws(FileError) {
    try held().clear(claim, after: disposal)
  }
}
