import Glibc
import Jobs
import Linux
import Seams

/// The destination of one file of a claim in an archive.
struct Archiving {
  let archive: Archive
  /// The directories below the archive, outermost first.
  let path: [[UInt8]]
  /// The temporary name there of an incomplete copy.
  let unfinished: [UInt8]
  /// The names that the file may get in that directory, in order of preference.
  let choices: (Directory) throws(FileError) -> [[UInt8]]

  init(
    _ archive: Archive, below path: [[UInt8]], _ unfinished: [UInt8],
    as choices: @escaping (Directory) throws(FileError) -> [[UInt8]]
  ) {
    (self.archive, self.path, self.unfinished, self.choices) = (archive, path, unfinished, choices)
  }

  func removeUnfinished() { archive.remove(unfinished, below: path) }
}

extension LockedSpool {
  /// Moves a file of a claim into a directory of an archive.
  ///
  /// - Returns: `removed`, or `changed` if it was written to while it was copied.
  func archive(_ member: Member, of id: JobID, _ archiving: Archiving) throws(FileError) -> Disposal {
    let (from, claimed) = (member.directory, member.name)
    let root = try archiving.archive.open()
    func move() throws(FileError) -> ArchiveMove {
      let directory = try open(archiving.path, below: root)
      return try self.move(
        (from, claimed), of: id, into: directory, as: try archiving.choices(directory), archiving.unfinished
      ) { () throws(FileError) in ClaimedFile(file: try from.openOurs(claimed), identity: member.identity) }
    }
    let moved: ArchiveMove
    do throws(FileError) {
      moved = try move()
    } catch {
      // Whoever empties the archive by age may have removed the directory at this moment, because it had become empty.
      guard error.errno == ENOENT, !archiving.path.isEmpty else { throw error }
      moved = try move()
    }
    switch moved {
    case .changed: return .changed(FileIdentity(try from.facts(of: claimed)))
    case .renamed: break
    case .copied:
      try from.remove(claimed)
      try endArchive(id)
    }
    return .removed
  }

  func exists(_ name: [UInt8], in directory: Directory) throws(FileError) -> Bool {
    try directory.factsIfPresent(name) != nil
  }

  /// Opens the directory for a relative path below the archive, and creates the missing ones.
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
