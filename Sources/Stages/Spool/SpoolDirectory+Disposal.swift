public import Jobs
public import Linux

/// Returns whether a file of a claim, which has these facts at this moment, has the bytes that were sent.
public typealias SentCheck = (FileIdentity) throws(FileError) -> Bool

/// The end of a claim's file.
extension SpoolDirectory {
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
}
