import Failpoints
import Glibc
import Jobs
import LinuxFiles

/// The end of a group's directory.
extension HeldSpool {
  /// Finds out whether the bytes of a group's files are final, as ``finality(of:in:on:)`` does for one file.
  ///
  /// - Returns: the reason why they may not be; nil if they are.
  func finality(
    of files: [GroupFile], in root: Directory, on terms: DisposalTerms
  ) throws(FileError) -> Disposal? {
    var youngest: Duration?
    for file in files {
      var terms = terms
      terms.identity = file.identity
      let (directory, last) = try GroupTree.location(file.path, in: root)
      let (lease, refusal) = try finality(of: last, in: directory, on: terms)
      withExtendedLifetime(lease) {}
      switch refusal {
      case .tooYoung(let left): youngest = max(youngest ?? .zero, left)
      case .some(let refusal): return refusal
      case nil: continue
      }
    }
    return youngest.map { .tooYoung($0) }
  }

  /// Removes files of a group if they are still these and nobody writes to them.
  ///
  /// - Returns: the reason why one of them is still there; nil if all are gone.
  func remove(_ files: [GroupFile], from root: Directory, on terms: DisposalTerms) throws(FileError) -> Disposal? {
    for file in files {
      var terms = terms
      terms.identity = file.identity
      let (directory, last) = try GroupTree.location(file.path, in: root)
      let (lease, refusal) = try finality(of: last, in: directory, on: terms)
      if let refusal { return refusal }
      try directory.remove(last)
      withExtendedLifetime(lease) {}
      Failpoint.memberRemoved.pass()
    }
    return nil
  }

  /// Moves a claimed group into an archive under its own name, as a whole; see ``archive(_:_:on:job:in:)``.
  ///
  /// A copy leaves the group where it is: its files are then removed like those of a group that is not archived, one after the other,
  /// each if it is what was sent and nobody writes to it. ``endArchive(_:)`` follows.
  ///
  /// - Parameter sum: the sum of what was sent. A rename does not look; a copy does.
  func archiveGroup(
    _ id: JobID, _ name: FileName, holding sum: GroupSum, job: JobNumber, in archive: Archive, at now: Timestamp
  ) throws(FileError) -> GroupArchiving {
    let place = try location(of: id, name)
    let directory = try archive.open()
    let choices = archivedName(of: name, job, id).choices
    let moved = try move(place, of: id, into: directory, as: choices, Archive.unfinished(id)) { () throws(FileError) in
      GroupFolder(try groupDirectory(id, name), sum)
    }
    switch moved {
    case .changed: return .changed
    case .renamed(let archived):
      archive.index?.add(group: archived, holding: sum, in: directory, at: now)
      return .moved
    case .copied(let copy):
      if let index = archive.index, let copied = try sumOfCopy(copy, in: directory) {
        index.add(group: copy, holding: copied, in: directory, at: now)
      }
      return .copied
    }
  }

  /// Returns the sum of a copy in the archive; nil if somebody has put something into it that is no group's. Then it is theirs,
  /// and stays.
  private func sumOfCopy(_ placed: [UInt8], in directory: Directory) throws(FileError) -> GroupSum? {
    do throws(FileError) {
      return try GroupLook(try directory.directory(placed), marker: nil).sum
    } catch {
      guard error.isOfNoGroup else { throw error }
      return nil
    }
  }

  /// Gives a claimed group a place in another directory under its own name, replaces nothing, and makes that durable; see
  /// ``linkOrCopy(_:_:into:)``.
  func releaseGroup(_ id: JobID, _ name: FileName, into directory: Directory) throws(FileError) {
    let root = try groupDirectory(id, name)
    if try exists(name.bytes, in: directory) {
      let isFolder = try directory.facts(of: name.bytes).kind == .directory
      guard isFolder, try StagedTree.isSame(root, try directory.directory(name.bytes)) else {
        throw FileError("release", path: "\(directory.path)/\(name.shown)", errno: EEXIST)
      }
    } else {
      let copy = try StagedTree(of: root, in: directory, as: Array(".waybill-\(id)".utf8), linking: true)
      do throws(FileError) {
        try copy.place(as: name.bytes)
      } catch {
        try copy.remove()
        throw error
      }
    }
    Failpoint.releasePlaced.pass()
    try directory.sync(.releaseEntry)
    Failpoint.releaseSynced.pass()
  }
}

/// The directory of a claimed group.
private struct GroupFolder: Archivable {
  private let root: Directory
  private let sum: GroupSum

  /// An open directory with the sum of what was sent.
  init(_ root: Directory, _ sum: GroupSum) {
    self.root = root
    self.sum = sum
  }

  func copy(into directory: Directory, as name: [UInt8]) throws(FileError) -> StagedTree {
    try StagedTree(of: root, in: directory, as: name, linking: false)
  }

  /// Each of the files was compared with its copy when that was made.
  func isFinal(_ copy: StagedTree) throws(FileError) -> Bool { try GroupLook(root, marker: nil).sum == sum }

  /// Files of the group itself may be removed by now.
  func isCopied(to name: [UInt8], in directory: Directory) throws(FileError) -> Bool {
    guard try directory.facts(of: name).kind == .directory else { return false }
    return try StagedTree.has(try directory.directory(name), allOf: root)
  }
}

/// The result of archiving a group.
package enum GroupArchiving {
  /// It is in the archive.
  case moved
  /// A copy of it is in the archive, durably.
  case copied
  /// It was written to since, and stays.
  case changed
}
