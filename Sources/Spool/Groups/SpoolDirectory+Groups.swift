package import Jobs
package import LinuxFiles

/// The claimed groups of a spool.
extension SpoolDirectory {
  /// Returns true if a claimed group is in its place. Throws if nobody can tell, as while the spool itself is away.
  package func hasGroup(_ id: JobID, _ name: FileName) throws(FileError) -> Bool { try held().hasGroup(id, name) }

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

  /// Removes a claimed group, whatever is in it.
  package func removeGroupUnchecked(_ id: JobID, _ name: FileName) throws(FileError) {
    try held().removeGroupUnchecked(id, name)
  }

  /// Moves a claimed group into an archive, as a whole, or copies it. `sum` is that of the walk which found it to be what was sent.
  /// After a copy its files are to be removed, and then ``endArchive(_:)`` is due.
  package func archiveGroup(
    _ id: JobID, _ name: FileName, holding sum: GroupSum, job: JobNumber, in archive: Archive
  ) throws(FileError) -> GroupArchiving {
    try held().archiveGroup(id, name, holding: sum, job: job, in: archive, at: wallClock())
  }

  /// Removes what an archiving that a crash cut has left of a group that is gone.
  package func clearGroup(_ id: JobID) throws(FileError) { try held().removeMark(id) }

  /// Ends the archiving of a group whose copy is in the archive, and whose files are removed.
  package func endArchive(_ id: JobID) throws(FileError) { try held().endArchive(id) }

  /// Durably gives a claimed group a place in a directory.
  package func releaseGroup(_ id: JobID, _ name: FileName, into target: Directory) throws(FileError) {
    try held().releaseGroup(id, name, into: target)
  }

  /// Gives a claimed group another id, durably.
  package func readmitGroup(
    _ id: JobID, _ name: FileName, as newID: JobID, marker: String?
  ) throws(FileError) -> Claim? {
    try held().readmitGroup(id, name, as: newID, marker: marker)
  }

  /// Returns how long ago something in a claimed group changed, and whether somebody has a file of it open for writing.
  package func groupIsBeingWritten(_ id: JobID, _ name: FileName) throws(FileError) -> (changed: Int64, isOpen: Bool) {
    let held = try held()
    let root = try held.groupDirectory(id, name)
    var isOpen = false
    let look = try GroupLook(root, marker: nil) { file throws(FileError) in
      guard !isOpen, held.mayLease(file.facts) else { return }
      let (directory, last) = try GroupTree.location(file.path, in: root)
      isOpen = directory.writers(of: last, whose: file.facts) == .some
    }
    return (look.changed, isOpen)
  }
}
