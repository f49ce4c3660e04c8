import Glibc
package import Jobs
package import Linux
import Seams

extension LockedSpool {
  /// Opens the directory that a person has named for released files, or the archive's.
  ///
  /// A directory that only the service sees is refused, such as the unit's `/tmp` with `PrivateTmp=`: the person means another
  /// one, and the files would disappear with the service (EPERM).
  package static func target(_ path: String, to operation: String = "release into") throws(FileError) -> Directory {
    let directory = try Directory(path: path)
    guard directory.isOfServiceAlone else { return directory }
    var error = FileError(operation, path: path, errno: EPERM)
    error.advice = UnitAccess.isOfServiceAlone
    throw error
  }

  /// Durably puts the files of a claim into a directory, under the names they were dropped with. It replaces nothing, and does
  /// nothing if a name is taken (EEXIST). The claimed names stay; they are removed after the release is committed to the ledger.
  ///
  /// A file is linked if the file system is the same, otherwise copied, with the same modification time and mode 0660. Files that
  /// an earlier call has put there count, so a second call completes a release that a crash interrupted.
  package func release(_ claim: ClaimReference, into directory: Directory) throws(FileError) {
    requireClaimed(claim)
    let temporary = Array(".waybill-\(claim.id)".utf8)
    if claim.parcel.group != nil {
      try releaseGroup(claim, into: directory, temporary)
      Failpoint.releasePlaced.pass()
    } else {
      let files = try files(of: claim)
      // If one of several files cannot be released, none is.
      if files.count > 1 { for file in files { try requireRoom(for: file, in: directory) } }
      for file in files {
        try linkOrCopy(file, into: directory, temporary + (file.isSidecar ? Array(".sidecar".utf8) : []))
        file.isSidecar ? Failpoint.sidecarReleased.pass() : Failpoint.releasePlaced.pass()
      }
    }
    try directory.sync(.releaseEntry)
    Failpoint.releaseSynced.pass()
  }

  /// A file of a claim: its claimed place, and the name it gets in the target.
  private struct ClaimFile {
    let directory: Directory
    let place: [UInt8]
    let name: FileName
    let isSidecar: Bool
  }

  /// The files of a claim that is not a group, with the sidecar if there is one.
  private func files(of claim: ClaimReference) throws(FileError) -> [ClaimFile] {
    let (directory, place) = try claims.place(of: claim.id, claim.name)
    let file = ClaimFile(directory: directory, place: place, name: claim.name.last, isSidecar: false)
    guard let sidecar = claim.parcel.sidecar, let shelf = try shelf(sidecar.pattern),
      try shelf.facts(of: claim.id, claim.name) != nil
    else { return [file] }
    let (folder, name) = try shelf.place(of: claim.id, claim.name)
    let released = sidecar.pattern.sidecar(of: claim.name).last
    return [file, ClaimFile(directory: folder, place: name, name: released, isSidecar: true)]
  }

  /// Throws EEXIST if another file has this file's name in the target directory.
  private func requireRoom(for file: ClaimFile, in directory: Directory) throws(FileError) {
    guard try exists(file.name.bytes, in: directory), try !isThere(file, in: directory) else { return }
    throw FileError("release", path: "\(directory.path)/\(file.name.shown)", errno: EEXIST)
  }

  private func linkOrCopy(_ file: ClaimFile, into directory: Directory, _ temporary: [UInt8]) throws(FileError) {
    do throws(FileError) {
      try file.directory.link(file.place, into: directory, as: file.name.bytes)
    } catch {
      switch error.errno {
      case EEXIST:
        guard try isThere(file, in: directory) else { throw error }
      case EXDEV, EPERM, EMLINK, EOPNOTSUPP:
        let original = try file.directory.open(file.place)
        try place(try StagedCopy(of: original, in: directory, as: temporary, permissions: 0o660), as: file.name.bytes)
      default: throw error
      }
    }
  }

  /// True if the target already has this file under its name: the same inode, or a copy with the same bytes.
  private func isThere(_ file: ClaimFile, in directory: Directory) throws(FileError) -> Bool {
    let ours = try file.directory.facts(of: file.place)
    let there = try directory.facts(of: file.name.bytes)
    if ours.isSameFile(as: there) { return true }
    // Two mounts of one file system have the same device number, but between them files are copied too.
    guard there.kind == .regular, ours.size == there.size else { return false }
    return try file.directory.open(file.place).holdsSameBytes(as: try directory.open(file.name.bytes))
  }

  private func releaseGroup(
    _ claim: ClaimReference, into directory: Directory, _ temporary: [UInt8]
  ) throws(FileError) {
    let (root, name) = (try groupDirectory(claim), claim.name.bytes)
    guard try !exists(name, in: directory) else {
      let isFolder = try directory.facts(of: name).kind == .directory
      guard isFolder, try StagedCopy.isSame(root, try directory.directory(name), alsoBack: true) else {
        throw FileError("release", path: "\(directory.path)/\(claim.name.shown)", errno: EEXIST)
      }
      return
    }
    try place(try StagedCopy(of: root, in: directory, as: temporary, linking: true), as: name)
  }

  private func place(_ copy: StagedCopy, as name: [UInt8]) throws(FileError) {
    do throws(FileError) {
      try copy.place(as: name)
    } catch {
      try copy.remove()
      throw error
    }
  }
}

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
    guard let claims = try ifPresent({ () throws(FileError) in try spool.directory(claimsName) }) else { return [] }
    var ids: Set<JobID> = []
    var names = try ClaimedNames(in: claims)
    while let found = try names.next() { ids.insert(found.id) }
    return ids
  }
}
