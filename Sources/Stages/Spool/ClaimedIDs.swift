public import Jobs
public import Linux

/// The ids of the claimed files in a spool. They are read without the spool's lock and without changing anything, because another
/// program may be using the spool.
public enum ClaimedIDs {
  /// - Throws: `FileError` if `.waybill` cannot be read. A spool without `.waybill` has no claims.
  public static func ids(inSpool path: String) throws(FileError) -> Set<JobID> {
    let spool = try Directory(path: path)
    let opened = try ifPresent { () throws(FileError) in try spool.directory(LockedSpool.claimsName) }
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
