package import Jobs
package import Linux

/// A spool as those see it who do not serve it: without its lock, and without changing anything, because another program may be using it.
extension LockedSpool {
  /// Returns true if a directory is a spool that a running daemon holds. One that may not be looked into counts as held: the daemon of
  /// another user keeps its own closed, and takes what droppers put beside it.
  package static func isHeld(in directory: Directory) -> Bool {
    do throws(FileError) {
      return try FileLock.isHeld(in: try directory.directory(claimsName), lockName)
    } catch {
      return error.code == "EACCES"
    }
  }

  /// Returns the ids of the claimed files in a spool.
  ///
  /// - Throws: `FileError` if `.waybill` cannot be read. A spool without `.waybill` has no claims.
  package static func claimedIDs(in path: String) throws(FileError) -> Set<JobID> {
    let spool = try Directory(path: path)
    let opened = try ifPresent { () throws(FileError) in try spool.directory(claimsName) }
    guard let claims = opened else { return [] }
    var ids: Set<JobID> = []
    let listing = try claims.listing()
    while let entry = try listing.next() {
      if let (id, _) = ClaimedPath.parse(entry.name) {
        ids.insert(id)
      } else if let id = ClaimedPath.id(entry.name), try claims.kind(of: entry) == .directory {
        try claims.forEachFile(ofClaimIn: entry.name) { directory, file, _ throws(FileError) in
          if try directory.kind(of: file) == .regular { ids.insert(id) }
        }
      }
    }
    return ids
  }
}
