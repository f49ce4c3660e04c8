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
    for folder in ClaimedPlace(id, dropped).folders {
      do throws(FileError) {
        try claims.makeDirectory(folder, permissions: 0o700)
      } catch {
        guard error.errno == EEXIST else { throw error }
      }
    }
    return try place(id, dropped)
  }

  /// Removes the directories of a place that has some, as far as they are empty.
  func clearPlace(_ id: JobID, _ dropped: FileName) throws(FileError) {
    try clear(ClaimedPlace(id, dropped).folders)
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

  /// Returns when the renames of these claims are on disk, with the directories that were made for them. The directories
  /// that the files came from are the caller's.
  func sync(_ made: [Claim]) throws(FileError) {
    for claim in made {
      for folder in ClaimedPlace(claim.id, claim.dropped).folders { try claims.directory(folder).sync() }
    }
    try spool.sync()
    try claims.sync()
  }
}
