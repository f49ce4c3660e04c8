import Failpoints
import Glibc
import Jobs
import LinuxFiles

extension HeldSpool {
  /// Moves a claimed file into an archive under its own name, if its bytes are final. It replaces nothing: if the name is
  /// taken, the job's number is added to it.
  ///
  /// On one file system this is a rename. Between two file systems the file is copied, made durable and compared; then a mark
  /// is set, the copy gets its name, and the file is removed. A second call after a crash finishes this without a second copy.
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
      removeUnfinished(id, name, in: archive)
      try removeMark(id)
      return .alreadyGone
    }
    let names = archivedName(of: name, job, id)
    let root = try archive.open()
    var directory = try open(names.directories, below: root)
    let archived: [UInt8]
    do throws(FileError) {
      func move() throws(FileError) -> [UInt8] {
        try Self.first(of: names.choices) { choice throws(FileError) in
          try from.rename(claimed, into: directory, as: choice)
        }
      }
      do throws(FileError) {
        archived = try move()
      } catch {
        // The last file of an empty directory may have left it just now.
        guard error.errno == ENOENT, archive.index != nil, !names.directories.isEmpty else { throw error }
        directory = try open(names.directories, below: root)
        archived = try move()
      }
      Failpoint.archiveRenamed.pass()
    } catch {
      guard error.isOfAnotherFileSystem else { throw error }
      switch try archiveByCopy(id, from, claimed, terms.identity, names.choices, directory) {
      case .placed(let name): archived = name
      case .changed(let identity): return .changed(identity)
      }
    }
    withExtendedLifetime(lease) {}
    if let index = archive.index {
      let path = (names.directories + [archived]).joined(separator: CollectionOfOne(UInt8(ascii: "/")))
      index.add(Array(path), in: directory, of: root, holding: terms.identity, at: terms.now)
    }
    try clearPlace(id, name)
    return .removed
  }

  /// The names that a claim may get in an archive. In a shared spool they have no job's number: its successor, where the job has another
  /// one, has to find what was archived.
  func archivedName(of name: FileName, _ job: JobNumber?, _ id: JobID) -> ArchivedName {
    ArchivedName(name, job: tenure == nil ? job : nil, id: id)
  }

  /// Removes what a crash left of the copy of a file that is gone.
  private func removeUnfinished(_ id: JobID, _ name: FileName, in archive: Archive) {
    do throws(FileError) {
      let root = try archive.open()
      try StagedCopy.remove(
        Archive.unfinished(id), from: name.path.isEmpty ? root : try root.directory(below: name.path))
    } catch {
      // The archive is away, or has no such directory. No job waits for that: it holds nothing that anybody lacks.
    }
  }

  /// The result of archiving by a copy.
  private enum Copying {
    /// The copy has this name, and the file is removed.
    case placed([UInt8])
    /// The file was written to meanwhile.
    case changed(FileIdentity)
  }

  private func archiveByCopy(
    _ id: JobID, _ from: Directory, _ claimed: [UInt8], _ expecting: FileIdentity, _ choices: [[UInt8]],
    _ directory: Directory
  ) throws(FileError) -> Copying {
    let file = try from.open(claimed)
    let isMarked = try exists(Archive.mark(id), in: claims)
    let isUnfinished = try exists(Archive.unfinished(id), in: directory)
    var placed = isMarked && !isUnfinished ? try placed(file, choices, directory) : nil
    if placed == nil {
      try removeMark(id)
      let copy = try StagedCopy(
        of: file, in: directory, as: Archive.unfinished(id), permissions: try file.facts().permissions & 0o777)
      placed = try place(copy, of: id, as: choices) { () throws(FileError) in
        guard try file.holdsSameBytes(as: try copy.open()) else { return false }
        return FileIdentity(try file.facts()) == expecting
      }
      if placed == nil { return .changed(FileIdentity(try file.facts())) }
    }
    try directory.sync(.archiveEntry)
    Failpoint.archiveSynced.pass()
    try from.remove(claimed)
    Failpoint.archiveSourceRemoved.pass()
    try removeMark(id)
    Failpoint.archiveMarkRemoved.pass()
    return .placed(placed ?? [])
  }

  /// Gives a copy its name in an archive, under the mark that tells the start after a crash whose copy it is.
  ///
  /// - Parameter isFinal: looks whether the copy is what was sent.
  /// - Returns: the name; nil if it is not that, and the copy is removed.
  func place(
    _ copy: some Staged, of id: JobID, as choices: [[UInt8]], isFinal: () throws(FileError) -> Bool
  ) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      guard try isFinal() else {
        try copy.remove()
        return nil
      }
      // Copying may have taken long.
      try confirmHold()
      try mark(id)
      Failpoint.archiveMarked.pass()
      let name = try Self.first(of: choices) { choice throws(FileError) in try copy.place(as: choice) }
      Failpoint.archivePlaced.pass()
      return name
    } catch {
      try removeMark(id)
      try copy.remove()
      throw error
    }
  }

  /// Tries one name after the other until one is free, and returns it.
  static func first(
    of choices: [[UInt8]], _ move: ([UInt8]) throws(FileError) -> Void
  ) throws(FileError) -> [UInt8] {
    var rest = choices[...]
    while let choice = rest.popFirst() {
      do throws(FileError) {
        try move(choice)
        return choice
      } catch {
        guard error.errno == EEXIST, !rest.isEmpty else { throw error }
      }
    }
    return []
  }

  /// The name under which the bytes are already in the archive, among those that they may get; nil if they are not.
  func placed(_ file: OpenFile, _ choices: [[UInt8]], _ directory: Directory) throws(FileError) -> [UInt8]? {
    for choice in choices {
      do throws(FileError) {
        guard try directory.facts(of: choice).kind == .regular else { continue }
        if try file.holdsSameBytes(as: try directory.open(choice)) { return choice }
      } catch {
        guard error.errno == ENOENT else { throw error }
      }
    }
    return nil
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

  func mark(_ id: JobID) throws(FileError) {
    _ = try claims.create(Archive.mark(id), permissions: 0o600)
    Failpoint.archiveMarking.pass()
    try claims.sync(.archiveMark)
  }

  func removeMark(_ id: JobID) throws(FileError) {
    do throws(FileError) {
      try claims.remove(Archive.mark(id))
    } catch {
      guard error.errno == ENOENT else { throw error }
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
