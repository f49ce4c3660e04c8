public import Jobs
public import LinuxFiles

/// The end of a claimed file: it is removed, archived, given back, or gets another id.
extension SpoolDirectory {
  /// Returns true if a claimed file or group is in its place, or something that its disposal removes later: its sidecar, or the
  /// mark of its copy in the archive. Throws if nobody can tell, as while the spool itself is away.
  public func hasClaim(_ id: JobID, _ name: FileName, _ sidecar: Parcel.Sidecar?) throws(FileError) -> Bool {
    try held().hasClaim(id, name, sidecar)
  }

  /// Removes a claimed file if it is still the expected one and nobody writes to it; otherwise keeps it.
  ///
  /// A lease tells who has it open. If no lease can tell, the file is kept until it has stayed unchanged for
  /// ``SpoolOptions/settleUnseen`` since `claimedAt`, by our own clock.
  ///
  /// The removal is not fsynced: a crash may bring the file back, and the next start disposes of it again.
  public func dispose(_ id: JobID, _ name: FileName, expecting: FileIdentity, claimedAt: Timestamp) throws(FileError)
    -> Disposal
  {
    try held().dispose(id, name, on: terms(expecting, claimedAt))
  }

  /// Moves a claimed file into an archive under the same conditions. It gets its own name, with the number of its job in it if
  /// that name is taken. If the name has a path, the path is kept below the archive.
  ///
  /// On one file system this is a rename, which is not fsynced either. Between two, the copy is durable before the file is
  /// removed. A second call finishes a move that a crash interrupted, without a second copy.
  public func archive(
    _ id: JobID, _ name: FileName, expecting: FileIdentity, claimedAt: Timestamp, job: JobNumber, in archive: Archive
  ) throws(FileError) -> Disposal {
    try held().archive(id, name, on: terms(expecting, claimedAt), job: job, in: archive)
  }

  func terms(_ identity: FileIdentity, _ claimedAt: Timestamp) -> DisposalTerms {
    DisposalTerms(identity: identity, claimedAt: claimedAt, stillness: options.settleUnseen, now: wallClock())
  }

  /// Gives a claimed file another id, so that bytes written to it after its job was registered can become a job of their own.
  /// Durable on return.
  ///
  /// - Returns: the claim under the new id, with the facts that the file has now.
  public func readmit(_ id: JobID, _ name: FileName, as newID: JobID) throws(FileError) -> Claim {
    try held().readmit(id, name, as: newID)
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

  /// Durably gives a claimed file a place in a directory, under its own name, and replaces nothing. A second call after a crash
  /// finishes it. Throws EEXIST if another file has the name.
  public func release(_ id: JobID, _ name: FileName, into directory: Directory) throws(FileError) {
    try held().linkOrCopy(id, name, into: directory)
  }

  /// Removes a claimed file whatever it holds, once the ledger has it as released or discarded. It is no error if the file is
  /// gone already.
  public func removeUnchecked(_ id: JobID, _ name: FileName) throws(FileError) { try held().removeUnchecked(id, name) }
}
