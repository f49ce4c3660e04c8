import Failpoints
import Glibc
import Jobs
import LinuxFiles

extension HeldSpool {
  /// Moves a claimed file into an archive under its own name, if its bytes are final. It replaces nothing: if the name is
  /// taken, the job's number is added to it.
  ///
  /// A second call after a crash finishes this without a second copy, if ``clear(_:after:)`` was not called meanwhile.
  func archive(
    _ id: JobID, _ name: FileName, on terms: DisposalTerms, job: JobNumber, in archive: Archive
  ) throws(FileError) -> Disposal {
    let (from, claimed): (Directory, [UInt8])
    let lease: ReadLease?
    do throws(FileError) {
      (from, claimed) = try location(of: id, name)
      let (held, refusal) = try finality(of: claimed, in: from, on: terms, open: kept.take(id))
      if let refusal { return refusal }
      lease = held
    } catch {
      guard error.errno == ENOENT else { throw error }
      try clearPlace(id, name)
      removeUnfinished(Archive.unfinished(id), of: name, in: archive)
      return .alreadyGone
    }
    let names = archivedName(of: name, job, id)
    let disposal = try archiveFile(
      id, from, claimed, terms, below: names.directories, as: { _ in names.choices }, Archive.unfinished(id), archive)
    withExtendedLifetime(lease) {}
    if disposal == .removed { try clearPlace(id, name) }
    return disposal
  }

  /// Moves a file of a claim into a directory of an archive, and has the archive's list know it.
  ///
  /// - Parameters:
  ///   - choices: the names that it may get in that directory.
  ///   - unfinished: the name there of a copy that is not whole yet.
  /// - Returns: `removed`, or `changed` if it was written to while it was copied.
  func archiveFile(
    _ id: JobID, _ from: Directory, _ claimed: [UInt8], _ terms: DisposalTerms, below path: [[UInt8]],
    as choices: (Directory) throws(FileError) -> [[UInt8]], _ unfinished: [UInt8], _ archive: Archive
  ) throws(FileError) -> Disposal {
    let root = try archive.open()
    func move() throws(FileError) -> (Directory, ArchiveMove) {
      let directory = try open(path, below: root)
      let move = try self.move(
        (from, claimed), of: id, into: directory, as: try choices(directory), unfinished
      ) { () throws(FileError) in ClaimedFile(try from.openOurs(claimed), terms.identity) }
      return (directory, move)
    }
    let (directory, moved): (Directory, ArchiveMove)
    do throws(FileError) {
      (directory, moved) = try move()
    } catch {
      // The last file of an empty directory may have left it just now.
      guard error.errno == ENOENT, archive.index != nil, !path.isEmpty else { throw error }
      (directory, moved) = try move()
    }
    let name: [UInt8]
    switch moved {
    case .changed: return .changed(FileIdentity(try from.facts(of: claimed)))
    case .renamed(let archived): name = archived
    case .copied(let copy):
      name = copy
      try from.remove(claimed)
      try endArchive(id)
    }
    if let index = archive.index {
      let path = (path + [name]).joined(separator: CollectionOfOne(UInt8(ascii: "/")))
      index.add(Array(path), in: directory, of: root, holding: terms.identity, at: terms.now)
    }
    return .removed
  }

  /// The names that a claim may get in an archive. In a shared spool they have no job's number: its successor, where the job has another
  /// one, has to find what was archived.
  func archivedName(of name: FileName, _ job: JobNumber?, _ id: JobID) -> ArchivedName {
    ArchivedName(name, job: tenure == nil ? job : nil, id: id)
  }

  /// Removes what a crash left of the copy of a file that is gone, or is not archived.
  func removeUnfinished(_ copy: [UInt8], of name: FileName, in archive: Archive) {
    do throws(FileError) {
      let root = try archive.open()
      try StagedCopy.remove(copy, from: name.path.isEmpty ? root : try root.directory(below: name.path))
    } catch {
      // The archive is away, or has no such directory. No job waits for that: it holds nothing that anybody lacks.
    }
  }

  func exists(_ name: [UInt8], in directory: Directory) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try directory.facts(of: name)
      return true
    } catch {
      guard error.errno == ENOENT else { throw error }
      return false
    }
  }

  /// Opens the directory that keeps a relative path below the archive. Makes the missing ones.
  func open(_ path: [[UInt8]], below archive: Directory) throws(FileError) -> Directory {
    var directory = archive
    for name in path {
      do throws(FileError) {
        try directory.makeDirectory(name, permissions: 0o770)
        Failpoint.archiveFolderMade.pass()
        try directory.sync(.archiveFolder)
      } catch {
        guard error.errno == EEXIST else { throw error }
      }
      directory = try directory.directory(name)
    }
    return directory
  }
}
