package import Jobs
package import LinuxFiles

/// The claimed groups of a spool.
extension SpoolDirectory {
  /// Begins a walk through a claimed group. Throws ENOENT if it is gone, and if the spool is away.
  package func groupPages(_ id: JobID, _ name: FileName, marker: String?) throws(FileError) -> GroupPages {
    GroupPages(try GroupTree(try held().groupDirectory(id, name), marker: marker))
  }

  /// Returns true if a file of a claimed group is in its place. Throws if the group itself is not.
  package func hasMember(_ path: FileName, of id: JobID, _ name: FileName) throws(FileError) -> Bool {
    try held().hasMember(path, of: id, name)
  }

  /// Opens a file of a claimed group for an attempt.
  package func open(_ id: JobID, _ name: FileName, member path: FileName) throws(FileError) -> OpenFile {
    try held().open(id, name, member: path)
  }

  /// Returns the reason why the bytes of a group's files may not be final; nil if they are.
  package func finality(
    of files: [GroupFile], _ id: JobID, _ name: FileName, claimedAt: Timestamp
  ) throws(FileError) -> Disposal? {
    guard let first = files.first else { return nil }
    let held = try held()
    return try held.finality(
      of: files, in: try held.groupDirectory(id, name), on: terms(first.identity, claimedAt))
  }

  /// Removes files of a claimed group that are still these. Returns the reason why one is still there; nil if all are gone.
  package func remove(
    _ files: [GroupFile], _ id: JobID, _ name: FileName, claimedAt: Timestamp
  ) throws(FileError) -> Disposal? {
    guard let first = files.first else { return nil }
    let held = try held()
    return try held.remove(files, from: try held.groupDirectory(id, name), on: terms(first.identity, claimedAt))
  }

  /// Removes the directories of a claimed group. Returns false if a file is still there.
  package func removeEmptyGroup(_ id: JobID, _ name: FileName) throws(FileError) -> Bool {
    try held().removeEmptyGroup(id, name)
  }

  /// Moves a claimed group into an archive, as a whole, or copies it. `sum` is that of the walk which found it to be what was sent.
  /// After a copy its files are to be removed, and then ``endArchive(_:)`` is due.
  package func archiveGroup(
    _ id: JobID, _ name: FileName, holding sum: GroupSum, job: JobNumber, in archive: Archive
  ) throws(FileError) -> GroupArchiving {
    try held().archiveGroup(id, name, holding: sum, job: job, in: archive, at: wallClock())
  }

  /// Ends the archiving of a group whose copy is in the archive, and whose files are removed.
  package func endArchive(_ id: JobID) throws(FileError) { try held().endArchive(id) }
}
