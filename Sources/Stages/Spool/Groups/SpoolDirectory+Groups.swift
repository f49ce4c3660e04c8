package import Jobs
package import Linux

/// The claimed groups of a spool.
extension SpoolDirectory {
  /// The maximum number of bytes of a group's name.
  package static var longestGroupName: Int { LockedSpool.longestGroupName }

  /// Removes a directory with everything in it. It is no error if there is none.
  package static func removeTree(_ name: [UInt8], from parent: Directory) throws(FileError) {
    _ = try LockedSpool.remove(name, from: parent, withFiles: true)
  }

  /// Begins a walk through a claimed group. Throws ENOENT if the group is gone or the spool is unavailable.
  package func groupPages(_ id: JobID, _ name: FileName, marker: String?) throws(FileError) -> GroupPages {
    GroupPages(try GroupTree(try held().groupDirectory(id, name), marker: marker))
  }

  /// Returns true if a file of a claimed group is in its place. Throws if the group itself is not in its place.
  package func hasMember(_ path: FileName, of id: JobID, _ name: FileName) throws(FileError) -> Bool {
    try held().hasMember(path, of: id, name)
  }

  /// Opens a file of a claimed group for an attempt.
  package func open(_ id: JobID, _ name: FileName, member path: FileName) throws(FileError) -> OpenFile {
    try held().open(id, name, member: path)
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

  /// Removes the directories of a claimed group. Returns false if a file is still there.
  package func removeEmptyGroup(_ id: JobID, _ name: FileName) throws(FileError) -> Bool {
    try held().removeEmptyGroup(id, name)
  }

  /// Moves a claimed group into an archive as a whole, or copies it. `sum` is the sum of the walk that found the group equal to
  /// what was sent. After a copy, the caller removes the group's files and then calls ``endArchive(_:)``.
  package func archiveGroup(
    _ id: JobID, _ name: FileName, holding sum: GroupSum, job: JobNumber, in archive: Archive
  ) throws(FileError) -> ArchiveMove {
    try held().archiveGroup(id, name, holding: sum, job: job, in: archive)
  }

  /// Ends the archiving of a group whose copy is in the archive and whose files are removed.
  package func endArchive(_ id: JobID) throws(FileError) { try held().endArchive(id) }
}
