import Failpoints
import Glibc
import Jobs
import LinuxFiles

extension HeldSpool {
  /// The directory of a claimed file and its name there. What is below `.waybill` is ours alone, so paths are as good as
  /// names.
  func place(_ id: JobID, _ dropped: FileName) throws(FileError) -> (Directory, [UInt8]) {
    switch ClaimedPlace(id, dropped) {
    case .flat(let claimed): (claims, claimed)
    case .nested(let folders, let claimed): (try claims.directory(folders[folders.count - 1]), claimed)
    }
  }

  /// The same for a file that is about to be claimed: directories that are missing are made.
  func makePlace(_ id: JobID, _ dropped: FileName) throws(FileError) -> (Directory, [UInt8]) {
    for folder in ClaimedPlace.folders(id, dropped) {
      do throws(FileError) {
        try claims.makeDirectory(folder, permissions: 0o700)
      } catch {
        guard error.errno == EEXIST else { throw error }
      }
      Failpoint.claimPlaceMade.pass()
    }
    return try place(id, dropped)
  }

  /// Removes the directories of a place that has some, as far as they are empty.
  func clearPlace(_ id: JobID, _ dropped: FileName) throws(FileError) {
    try clear(ClaimedPlace.folders(id, dropped))
  }

  /// Removes directories below `.waybill`, the last first, as far as they are empty.
  func clear(_ folders: [[UInt8]]) throws(FileError) {
    for folder in folders.reversed() {
      do throws(FileError) {
        try claims.removeDirectory(folder)
      } catch {
        if error.errno == ENOTEMPTY || error.errno == EEXIST { return }
        guard error.errno == ENOENT else { throw error }
      }
    }
  }

  /// How many directories are made durable one by one; for more than these, the whole file system is at once.
  private static let mostFolders = 32

  /// Returns when the renames of these claims are on disk, with the directories that were made for them.
  ///
  /// `sync` is why, where the claims were not made just now; `source` opens the directory of a recursive spool that files
  /// came from; nil for one that has gone since, which is no matter.
  func sync(
    _ made: [Claim], for sync: Sync? = nil,
    source: ([UInt8]) throws(FileError) -> Directory? = { _ throws(FileError) in nil }
  ) throws(FileError) {
    if let sync, !sync.isDone { return }
    var folders: [[UInt8]] = []
    for claim in made { folders += ClaimedPlace.folders(claim.id, claim.dropped) }
    if folders.count > Self.mostFolders, try syncsAsOne() { return }
    for folder in folders {
      try claims.directory(folder).sync(.claimFolders)
      Failpoint.claimPlacesSynced.pass()
    }
    // where a rename is not one thing to the file system, a power cut between these leaves two names and never none
    try claims.sync(.claimPlace)
    Failpoint.claimTargetSynced.pass()
    for path in Set(made.map(\.path)) where !path.isEmpty { try source(path)?.sync(.claimSources) }
    try spool.sync(.claimSpool)
  }

  /// Makes all of the spool's file system durable at once, where that is known to work: FUSE takes no notice of it.
  private func syncsAsOne() throws(FileError) -> Bool {
    guard try !claims.fileSystem().isRemote else { return false }
    try claims.syncFileSystem(.claimFileSystem)
    return true
  }
}
