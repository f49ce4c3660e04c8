public import Jobs
public import Linux

/// The ids of the claimed files in a spool. They are read without the spool's lock and without changing anything, because another
/// program may be using the spool.
public enum ClaimedIDs {
  /// - Throws: `FileError` if `.waybill` cannot be read. A spool without `.waybill` has no claims.
  public static func ids(inSpool path: String) throws(FileError) -> Set<JobID> {
    let spool = try Directory(path: path)
    let claims: Directory
    do throws(FileError) {
      claims = try spool.directory(LockedSpool.claimsName)
    } catch {
      guard error.code == "ENOENT" else { throw error }
      return []
    }
    return try ids(in: claims)
  }

  static func ids(in claims: Directory) throws(FileError) -> Set<JobID> {
    var ids: Set<JobID> = []
    let listing = try claims.listing()
    while let entry = try listing.next() {
      if let (id, _) = ClaimedPath.parse(entry.name) {
        ids.insert(id)
      } else if let id = ClaimedPath.id(entry.name), try holdsFile(claims, entry.name) {
        ids.insert(id)
      }
    }
    return ids
  }

  private static func holdsFile(_ parent: Directory, _ name: [UInt8]) throws(FileError) -> Bool {
    do throws(FileError) {
      let directory = try parent.directory(name)
      let listing = try directory.listing()
      while let entry = try listing.next() {
        if try directory.facts(of: entry.name).kind == .regular { return true }
        if try holdsFile(directory, entry.name) { return true }
      }
      return false
    } catch {
      // It has disappeared meanwhile, or is nothing that a claim makes.
      guard error.code == "ENOENT" || error.code == "ENOTDIR" || error.code == "ELOOP" else { throw error }
      return false
    }
  }
}
