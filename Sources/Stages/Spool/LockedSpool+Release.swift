import Glibc
import Jobs
package import Linux
import Messages
import Seams

extension LockedSpool {
  /// Opens the directory that a person has named for released files, or the archive's. One that only the service sees is refused (EPERM),
  /// such as the unit's `/tmp` with `PrivateTmp=`: the files would disappear with the service.
  package static func target(_ path: String, to operation: String = "release into") throws(FileError) -> Directory {
    let directory = try Directory(path: path)
    guard directory.isOfServiceAlone else { return directory }
    throw FileError(operation, path: path, errno: EPERM, advice: .serviceAlone)
  }

  /// Durably puts the files of a claim into a directory, by a link or else a copy with mode 0660, under the names they were dropped with.
  /// If one of these is taken (EEXIST), no file is put there. The claimed names stay. Files that an earlier call has put there count, so a
  /// second call completes a release that a crash interrupted.
  package func release(_ claim: ClaimReference, into directory: Directory) throws(FileError) {
    requireClaimed(claim)
    let members = try members(of: claim)
    // If one of several cannot be released, none is.
    if members.count > 1 { for member in members { try requireFreeName(for: member, in: directory) } }
    for (number, member) in members.enumerated() {
      try linkOrCopy(member, into: directory, Archive.unfinished(claim.id) + Array((number > 0 ? ".sidecar" : "").utf8))
      number > 0 ? Failpoint.sidecarReleased.pass() : Failpoint.releasePlaced.pass()
    }
    try directory.sync(.releaseEntry)
    Failpoint.releaseSynced.pass()
  }

  /// A file or group of a claim: its claimed place, and its name in the target.
  private typealias Released = (place: ClaimPlace, name: FileName)

  /// Returns what was claimed, and then its sidecar, if there is one.
  private func members(of claim: ClaimReference) throws(FileError) -> [Released] {
    let claimed = (place: try claims.place(of: claim.id, claim.name), name: claim.name.last)
    guard let sidecar = claim.parcel.sidecar, let shelf = try shelf(sidecar.pattern),
      try shelf.facts(of: claim.id, claim.name) != nil
    else { return [claimed] }
    let name = sidecar.pattern.sidecar(of: claim.name).last
    return [claimed, (place: try shelf.place(of: claim.id, claim.name), name: name)]
  }

  /// Throws EEXIST if another file has the member's name in the target directory.
  private func requireFreeName(for member: Released, in directory: Directory) throws(FileError) {
    guard try exists(member.name.bytes, in: directory), try !isThere(member, in: directory) else { return }
    throw FileError("release", path: "\(directory.path)/\(member.name.shown)", errno: EEXIST)
  }

  private func linkOrCopy(_ member: Released, into directory: Directory, _ temporary: [UInt8]) throws(FileError) {
    let (from, claimed) = member.place
    do throws(FileError) {
      try from.link(claimed, into: directory, as: member.name.bytes)
    } catch {
      switch error.errno {
      case EEXIST:
        guard try isThere(member, in: directory) else { throw error }
      // EPERM also for a directory.
      case EXDEV, EPERM, EMLINK, EOPNOTSUPP:
        let copy = try Original(member.place).copy(into: directory, as: temporary, isForPeople: true)
        do throws(FileError) {
          try copy.place(as: member.name.bytes)
        } catch {
          try copy.remove()
          throw error
        }
      default: throw error
      }
    }
  }

  /// True if the target already has this file or group under its name: the same inode, or a copy with the same bytes.
  private func isThere(_ member: Released, in directory: Directory) throws(FileError) -> Bool {
    let (from, claimed) = member.place
    let ours = try from.facts(of: claimed)
    let there = try directory.facts(of: member.name.bytes)
    if ours.isSameFile(as: there) { return true }
    // Two mounts of one file system have the same device number, but between them files are copied too.
    guard there.kind == ours.kind, ours.kind == .directory || there.size == ours.size else { return false }
    return try Original(member.place).isSame(as: member.name.bytes, in: directory, alsoBack: true)
  }

  /// Returns true if a directory is a spool that a running daemon holds. If `.waybill` in it is closed, it counts as held: another user's
  /// daemon closes `.waybill`, and takes files beside it.
  package static func isHeld(in directory: Directory) -> Bool {
    do throws(FileError) {
      return try FileLock.isHeld(in: try directory.directory(claimsName), lockName)
    } catch {
      return error.code == "EACCES"
    }
  }
}
