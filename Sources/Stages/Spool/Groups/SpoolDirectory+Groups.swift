package import Jobs
package import Linux

/// The claimed groups of a spool.
extension SpoolDirectory {
  /// Begins a walk through a claimed group. Throws ENOENT if the group is gone or the spool is unavailable.
  package func groupPages(_ id: JobID, _ name: FileName, marker: String?) throws(FileError) -> GroupPages {
    GroupPages(try GroupTree(try held().groupDirectory(id, name), marker: marker))
  }

  /// Checks files of a claimed group one by one and, with `removing`, removes them, as long as each is what was sent and nobody
  /// writes to it.
  ///
  /// - Parameter isSent: returns whether a file with these facts has the bytes that were sent.
  /// - Returns: the reason why one of them may not be removed; nil if all may, or are gone.
  package func end(
    _ files: [GroupFile], of claim: ClaimReference, claimedAt: Timestamp, removing: Bool,
    isSent: (GroupFile, FileIdentity) throws(FileError) -> Bool
  ) throws(FileError) -> Disposal? {
    let held = try held()
    return try held.end(
      files, of: try held.groupDirectory(claim.id, claim.name), on: terms(claimedAt), removing: removing, isSent: isSent
    )
  }
}
