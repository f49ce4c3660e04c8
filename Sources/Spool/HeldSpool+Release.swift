import Failpoints
import Glibc
import Jobs
import LinuxFiles

extension HeldSpool {
  /// Opens the directory that a person has named for released or archived files.
  ///
  /// The `/tmp` of a unit (`PrivateTmp=`) is refused: the person means another one, and files would go with the service.
  static func target(_ path: String, to operation: String = "release into") throws(FileError) -> Directory {
    let directory = try Directory(path: path)
    guard directory.isOfServiceAlone else { return directory }
    var error = FileError(operation, path: path, errno: EPERM)
    error.advice = UnitAccess.isOfServiceAlone
    throw error
  }

  /// Gives a claimed file a place in another directory under its own name, replaces nothing, and makes that durable. The
  /// claimed name stays; it is removed when the release is in the ledger.
  ///
  /// It makes a link if the file system is the same, otherwise a copy with the same time and mode 0660. The work of an earlier
  /// call counts, so a second call finishes a release that a crash interrupted.
  func linkOrCopy(_ id: JobID, _ name: FileName, into directory: Directory) throws(FileError) {
    let (claims, claimed) = try location(of: id, name)
    try linkOrCopy(claims, claimed, as: name.last, into: directory, temporary: Array(".waybill-\(id)".utf8))
    Failpoint.releasePlaced.pass()
    try directory.sync(.releaseEntry)
    Failpoint.releaseSynced.pass()
  }

  func linkOrCopy(
    _ claims: Directory, _ claimed: [UInt8], as name: FileName, into directory: Directory, temporary: [UInt8]
  ) throws(FileError) {
    do throws(FileError) {
      try claims.link(claimed, into: directory, as: name.bytes)
    } catch {
      switch error.errno {
      case EEXIST:
        guard try isThere(claims, claimed, directory, name) else { throw error }
      case EXDEV, EPERM, EMLINK, EOPNOTSUPP:
        try copy(try claims.open(claimed), into: directory, as: name, temporary: temporary)
      default: throw error
      }
    }
  }

  /// True if the file under the name in the target is already this file: the same inode, or a copy byte for byte.
  func isThere(
    _ claims: Directory, _ claimed: [UInt8], _ directory: Directory, _ name: FileName
  ) throws(FileError) -> Bool {
    let ours = try claims.facts(of: claimed)
    let there = try directory.facts(of: name.bytes)
    if ours.isSameFile(as: there) { return true }
    // Two mounts of one file system have the same number, and between them a copy is made too.
    guard there.kind == .regular, ours.size == there.size else { return false }
    return try claims.open(claimed).holdsSameBytes(as: try directory.open(name.bytes))
  }

  private func copy(
    _ file: OpenFile, into directory: Directory, as name: FileName, temporary: [UInt8]
  ) throws(FileError) {
    let copy = try StagedCopy(of: file, in: directory, as: temporary, permissions: 0o660)
    do throws(FileError) {
      try copy.place(as: name.bytes)
    } catch {
      try copy.remove()
      throw error
    }
  }

  /// Removes the claimed name of a file that has been released or discarded. It is no error if the name is gone already.
  func removeFileUnchecked(_ id: JobID, _ name: FileName) throws(FileError) {
    _ = kept.take(id)
    do throws(FileError) {
      let (directory, claimed) = try location(of: id, name)
      try directory.remove(claimed)
      Failpoint.fileRemoved.pass()
    } catch {
      guard error.errno == ENOENT else { throw error }
    }
    try clearPlace(id, name)
  }
}
