import Glibc
import Jobs
import Linux

/// The end of a group's directory.
extension HeldSpool {
  /// Goes through files of a group, and removes them if that is asked, as long as each may go.
  ///
  /// - Returns: the reason why one of them may not; nil if all may, or are gone.
  func end(
    _ files: [GroupFile], of root: Directory, on terms: DisposalTerms, removing: Bool,
    isSent: (GroupFile, FileIdentity) throws(FileError) -> Bool
  ) throws(FileError) -> Disposal? {
    // None goes if another one has changed.
    for file in files { guard try isSent(file, file.identity) else { return .changed(nil) } }
    var youngest: Duration?
    for file in files {
      let (directory, last) = try GroupTree.location(file.path, in: root)
      let refusal = try whenFinal(
        Member(directory: directory, name: last, identity: file.identity), on: terms,
        isSent: { now throws(FileError) in try isSent(file, now) },
        { _ throws(FileError) in removing ? try remove(last, from: directory) : nil })
      switch refusal {
      case nil: continue
      case .removed: Failpoint.memberRemoved.pass()
      // Somebody is at work in it.
      case .alreadyGone: if !removing { return .beingWritten }
      case .tooYoung(let left) where !removing: youngest = max(youngest ?? .zero, left)
      case .some(let refusal): return refusal
      }
    }
    return youngest.map { .tooYoung($0) }
  }

  /// Moves a claimed group into an archive under its own name, as a whole; see ``archive(_:of:_:at:)``.
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
      GroupFolder(root: try groupDirectory(id, name), sum: sum)
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
}

/// The directory of a claimed group.
private struct GroupFolder: Archivable {
  let root: Directory
  /// The sum of what was sent.
  let sum: GroupSum

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
  /// It is not what the walk has found, and stays.
  case changed
}
