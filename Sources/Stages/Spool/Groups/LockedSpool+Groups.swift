import Glibc
package import Jobs
package import Linux
import Seams

/// A group is claimed as a directory: one rename moves everything in it.
extension LockedSpool {
  /// The maximum number of bytes of a group's name: a claimed group is always at `ID~NAME`, never in directories of its own.
  static let longestGroupName = 255 - 37

  /// Renames the directory of a group into `.waybill`, not durably. After an error, the group is in the spool as before.
  func claimGroup(_ name: FileName, as id: JobID, marker: String) throws(FileError) -> Taking {
    try take(name, from: spool, as: id) { place throws(FileError) in
      if let claim = try group(place.name, id, name, marker: marker) { return .taken(claim, loss: nil) }
      _ = try putBack(place, id, name, into: spool)
      return .notAFile
    }
  }

  /// Returns the claim of a group that is in `.waybill`; nil if the name is not a directory. A group that cannot be walked through is
  /// claimed all the same, and its job asks about it; with `isPatient`, an error that may pass is thrown instead.
  func group(
    _ claimed: [UInt8], _ id: JobID, _ name: FileName, marker: String?, isPatient: Bool = true
  ) throws(FileError) -> Claim? {
    let facts = try claims.facts(of: claimed)
    guard facts.kind == .directory else { return nil }
    var count: Int?
    var identity = FileIdentity(facts)
    do throws(FileError) {
      let look = try GroupLook(try claims.directory(claimed), marker: marker)
      count = look.files
      identity = look.identity(of: facts)
    } catch {
      if isPatient, error.mayPass { throw error }
      identity.size = 0
    }
    return Claim(id: id, dropped: name, identity: identity, group: Parcel.Group(marker: marker, files: count))
  }

  func groupDirectory(_ claim: ClaimReference) throws(FileError) -> Directory {
    let (directory, claimed) = try location(of: claim)
    return try directory.directory(claimed)
  }

  /// Begins a walk through a claimed group. Throws ENOENT if the group is gone.
  package func groupPages(_ claim: ClaimReference) throws(FileError) -> Batches<GroupTree> {
    Batches(try GroupTree(try groupDirectory(claim), marker: claim.parcel.group?.marker))
  }

  /// Returns true if a file of a claimed group is in its place. Throws if the group itself is not in its place.
  package func hasMember(_ path: FileName, of claim: ClaimReference) throws(FileError) -> Bool {
    let root = try groupDirectory(claim)
    return try unless(ENOENT, ENOTDIR, ELOOP) { () throws(FileError) in
      let (directory, last) = try GroupTree.location(path, in: root)
      return try exists(last, in: directory)
    } ?? false
  }

  package func open(_ claim: ClaimReference, member path: FileName) throws(FileError) -> OpenFile {
    let (directory, last) = try GroupTree.location(path, in: try groupDirectory(claim))
    return try open(last, in: directory)
  }

  /// Removes the directories of a claimed group whose files are gone. Returns false if something is still in them.
  package func removeEmptyGroup(_ claim: ClaimReference) throws(FileError) -> Bool {
    let (directory, claimed) = try location(of: claim)
    return try Self.remove(claimed, from: directory, withFiles: false)
  }

  /// Removes a directory and those below it, and with `withFiles` the files in them; returns false if something is left. However deep the
  /// tree is, few directories are open at a time.
  static func remove(_ name: [UInt8], from parent: Directory, withFiles: Bool) throws(FileError) -> Bool {
    guard let root = try ifPresent({ () throws(FileError) in try parent.directory(name) }) else { return true }
    // A directory comes twice: to be read, and to be removed after those below it.
    var pending: [(path: [UInt8], isRead: Bool)] = [([], false)]
    while let (path, isRead) = pending.popLast() {
      if isRead {
        if path.isEmpty { break }
        let folder = FileName(bytes: path)
        _ = try root.folder(folder.path).removeEmpty(folder.last.bytes)
        continue
      }
      pending.append((path, true))
      let directory = try root.folder(path)
      let listing = try directory.listing()
      while let entry = try listing.next() {
        if try directory.facts(of: entry.name).kind == .directory {
          pending.append((FileName(FileName(bytes: entry.name), in: path).bytes, false))
        } else if withFiles {
          try directory.remove(entry.name)
          Failpoint.memberRemoved.pass()
        }
      }
    }
    return try parent.removeEmpty(name)
  }
}

extension Directory {
  /// Opens a directory of a group for reading, by its path from the group's directory; an empty path is that directory itself.
  func folder(_ path: [UInt8]) throws(FileError) -> Directory {
    path.isEmpty ? self : try directory(below: path).reopened()
  }
}

extension LockedSpool {
  /// Checks files of a group one by one and, with `removing`, removes them, as long as each is what was sent (`isSent`) and nobody writes
  /// to it. Returns the reason why one of them may not be removed; nil if all may, or were removed.
  package func end(
    _ files: [GroupFile], of claim: ClaimReference, on terms: DisposalTerms, removing: Bool,
    isSent: (GroupFile, FileIdentity) throws(FileError) -> Bool
  ) throws(FileError) -> Disposal? {
    requireClaimed(claim)
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

  /// Moves a claimed group into an archive under its own name, as a whole. If it had to be copied, its files are then removed like those of
  /// a group that is not archived, and ``endArchive(_:)`` follows. The `sum` of what was sent is compared before a copy, not before a
  /// rename.
  package func archiveGroup(
    _ claim: ClaimReference, holding sum: GroupSum, job: JobNumber, in archive: Archive
  ) throws(FileError) -> ArchiveMove {
    requireClaimed(claim)
    let (id, name) = (claim.id, claim.name)
    let place = try claims.place(of: id, name)
    let directory = try archive.open()
    let choices = ArchivedName(name, job: job, id: id).choices
    return try move(place, of: id, into: directory, as: choices, Archive.unfinished(id), sent: .group(sum))
  }
}
