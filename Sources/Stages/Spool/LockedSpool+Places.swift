import Glibc
import Jobs
import Linux

extension LockedSpool {
  /// Returns the place of a claim. A file that stays where it is is found in the spool. The way there follows no link, because others
  /// may change it.
  func location(of claim: ClaimReference) throws(FileError) -> ClaimPlace {
    guard claim.parcel == .inPlace else { return try claims.place(of: claim.id, claim.name) }
    guard keptRoot != nil else {
      // The directory that has the spool's name now is another one, or its files are to be taken away.
      throw FileError(
        "use", path: "\(try spool.path)/\(claim.name.text)", errno: ENOENT,
        advice:
          "it was to stay where it is, and its spool does not keep files now: set after = \"keep\" again, or cancel the job"
      )
    }
    let (root, path) = (try spool, claim.name.path)
    return (path.isEmpty ? root : try root.directory(below: path), claim.name.last.bytes)
  }

  /// Stops the program if a claim was made without a rename: its file is not the daemon's to move or remove.
  func requireClaimed(_ claim: ClaimReference) {
    precondition(claim.parcel != .inPlace, "a file that stays where it is was to be moved")
  }

  /// Opens the directory that a file was dropped into, to put something back there.
  func source(of dropped: FileName) throws(FileError) -> Directory {
    dropped.path.isEmpty ? try spool : try spool.directory(below: dropped.path).reopened()
  }

  /// The maximum number of directories to fsync one by one. If there are more, the whole file system is synced with one call.
  private static let mostFolders = 32

  /// Returns once the renames of these claims, and the directories that were created for them, are on disk.
  ///
  /// `sync` names the fsync for claims that were not made just before this call. `source` opens the directory of a recursive
  /// spool that files came from; it returns nil for a directory that has disappeared, which does no harm.
  func sync(
    _ made: [Claim], for sync: Sync? = nil,
    source: ([UInt8]) throws(FileError) -> Directory? = { _ throws(FileError) in nil }
  ) throws(FileError) {
    if keptRoot != nil { return }  // nothing was renamed
    if let sync, !sync.isDone { return }
    var folders: [[UInt8]] = []
    for claim in made { folders += ClaimedPath.folders(claim.id, claim.dropped) }
    if folders.count > Self.mostFolders, try syncsAsOne() { return }
    for folder in folders {
      try claims.directory(folder).sync(.claimFolders)
      Failpoint.claimPlacesSynced.pass()
    }
    // On a file system where a rename is not atomic, a power cut between these two may leave both names, but never none.
    try claims.sync(.claimPlace)
    Failpoint.claimTargetSynced.pass()
    for path in Set(made.map(\.path)) where !path.isEmpty { try source(path)?.sync(.claimSources) }
    try spool.sync(.claimSpool)
  }

  /// Syncs the whole file system with one call, if that is known to work (FUSE ignores the request). Returns false if it was not
  /// done.
  private func syncsAsOne() throws(FileError) -> Bool {
    guard try !claims.fileSystem().isRemote else { return false }
    try claims.syncFileSystem(.claimFileSystem)
    return true
  }
}
