import Glibc
package import Jobs
package import Linux

/// Disposal of a group's files and directory.
extension LockedSpool {
  /// Checks files of a group one by one and, with `removing`, removes them, as long as each is what was sent and nobody writes to it.
  ///
  /// - Parameter isSent: returns whether a file with these facts has the bytes that were sent.
  /// - Returns: the reason why one of them may not be removed; nil if all may, or are gone.
  package func end(
    _ files: [GroupFile], of claim: ClaimReference, on terms: DisposalTerms, removing: Bool,
    isSent: (GroupFile, FileIdentity) throws(FileError) -> Bool
  ) throws(FileError) -> Disposal? {
    let root = try groupDirectory(claim)
    // If one of these files has changed, none of them is removed.
    for file in files { guard try isSent(file, file.identity) else { return .changed(nil) } }
    var youngest: Duration?
    for file in files {
      let (directory, last) = try GroupTree.location(file.path, in: root)
      let refusal = try whenFinal(
        Member(directory: directory, name: last, identity: file.identity), on: terms,
        isSent: { now throws(FileError) in try isSent(file, now) },
        { _ throws(FileError) in
          guard removing else { return nil }
          return try directory.removeIfPresent(last) ? .removed : .alreadyGone
        })
      switch refusal {
      case nil: continue
      case .removed: Failpoint.memberRemoved.pass()
      // Somebody is working in the group.
      case .alreadyGone: if !removing { return .beingWritten }
      case .tooYoung(let left) where !removing: youngest = max(youngest ?? .zero, left)
      case .some(let refusal): return refusal
      }
    }
    return youngest.map { .tooYoung($0) }
  }

  /// Moves a claimed group into an archive under its own name, as a whole; see ``archive(_:of:_:)``.
  ///
  /// If it had to be copied, the group stays in its place: its files are then removed like those of a group that is not archived,
  /// one by one, each only if it is what was sent and nobody writes to it. ``endArchive(_:)`` follows.
  ///
  /// - Parameter sum: the sum of what was sent. It is compared before a copy, but not before a rename.
  package func archiveGroup(
    _ claim: ClaimReference, holding sum: GroupSum, job: JobNumber, in archive: Archive
  ) throws(FileError) -> ArchiveMove {
    let (id, name) = (claim.id, claim.name)
    let place = try claims.place(of: id, name)
    let directory = try archive.open()
    let choices = ArchivedName(name, job: job, id: id).choices
    return try move(place, of: id, into: directory, as: choices, Archive.unfinished(id)) { () throws(FileError) in
      GroupFolder(root: try groupDirectory(claim), sum: sum)
    }
  }
}

/// The directory of a claimed group.
private struct GroupFolder: Archivable {
  let root: Directory
  /// The sum of what was sent.
  let sum: GroupSum

  func copy(into directory: Directory, as name: [UInt8]) throws(FileError) -> StagedCopy {
    try StagedCopy(of: root, in: directory, as: name, linking: false)
  }

  /// Each file was compared with its copy when that was made; here only the sum of the group is compared.
  func isFinal(_ copy: StagedCopy) throws(FileError) -> Bool { try GroupLook(root, marker: nil).sum == sum }

  /// Some files of the group may already be removed, so the copy may have more files.
  func isCopied(to name: [UInt8], in directory: Directory) throws(FileError) -> Bool {
    guard try directory.facts(of: name).kind == .directory else { return false }
    return try StagedCopy.isSame(root, try directory.directory(name), alsoBack: false)
  }
}
