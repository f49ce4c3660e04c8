import Glibc
package import Jobs
package import Linux

/// A part of a claim that can be copied into an archive.
enum ArchivedPart {
  /// A claimed file, or the sidecar of one, with the facts that it must still have after it was copied.
  case file(OpenFile, FileIdentity)
  /// The directory of a claimed group, with the sum of what was sent.
  case group(Directory, GroupSum)

  /// Makes a complete and durable copy under a temporary name.
  func copy(into directory: Directory, as name: [UInt8]) throws(FileError) -> StagedCopy {
    switch self {
    case .file(let file, _):
      try StagedCopy(of: file, in: directory, as: name, permissions: try file.facts().permissions & 0o777)
    case .group(let root, _): try StagedCopy(of: root, in: directory, as: name, linking: false)
    }
  }

  /// Returns true if both the original and its copy are still what was sent. Each file of a group was compared with its copy when that was
  /// made; here only the sum of the group is compared.
  func isFinal(_ copy: StagedCopy) throws(FileError) -> Bool {
    switch self {
    case .file(let file, let identity):
      guard try file.holdsSameBytes(as: try copy.open()) else { return false }
      return FileIdentity(try file.facts()) == identity
    case .group(let root, let sum): return try GroupLook(root, marker: nil).sum == sum
    }
  }

  /// Returns true if a name in the archive belongs to the copy of this part. Some files of a group may already be removed, so the copy may
  /// have more files.
  func isCopied(to name: [UInt8], in directory: Directory) throws(FileError) -> Bool {
    let kind = try directory.facts(of: name).kind
    switch self {
    case .file(let file, _):
      guard kind == .regular else { return false }
      return try file.holdsSameBytes(as: try directory.open(name))
    case .group(let root, _):
      guard kind == .directory else { return false }
      return try StagedCopy.isSame(root, try directory.directory(name), alsoBack: false)
    }
  }
}

/// The result of a move into an archive.
package enum ArchiveMove {
  /// It has a name in the archive.
  case renamed
  /// A copy has a name in the archive, durably. The original is still there; after its removal, ``LockedSpool/endArchive(_:)``
  /// must be called.
  case copied
  /// It was written to after it was sent, and stays.
  case changed
}

extension LockedSpool {
  /// Moves a part of a claim into a directory of an archive, under the first free one of some names.
  ///
  /// On one file system this is a rename. Otherwise the part is copied, and the copy is made durable and compared; then a mark is
  /// created, and the copy gets its name. A second call after a crash completes this and makes no second copy.
  ///
  /// - Parameters:
  ///   - place: the directory and the name of the part.
  ///   - unfinished: the temporary name of an incomplete copy.
  ///   - part: opens the part, for a copy.
  func move(
    _ place: ClaimPlace, of id: JobID, into directory: Directory, as choices: [[UInt8]],
    _ unfinished: [UInt8], _ part: () throws(FileError) -> ArchivedPart
  ) throws(FileError) -> ArchiveMove {
    let isMarked = try exists(Archive.mark(id), in: claims)
    if !isMarked {
      do throws(FileError) {
        try Self.takeFirst(of: choices) { choice throws(FileError) in
          try place.directory.rename(place.name, into: directory, as: choice)
        }
        Failpoint.archiveRenamed.pass()
        return .renamed
      } catch {
        guard error.isOfAnotherFileSystem else { throw error }
      }
    }
    let part = try part()
    let isUnfinished = try exists(unfinished, in: directory)
    var isThere = isMarked && !isUnfinished ? try isCopied(part, choices, directory) : false
    if !isThere {
      try removeMark(id)
      isThere = try self.place(part, try part.copy(into: directory, as: unfinished), of: id, as: choices)
    }
    guard isThere else { return .changed }
    try directory.sync(.archiveEntry)
    Failpoint.archiveSynced.pass()
    return .copied
  }

  /// Gives a copy its name in an archive. Before that it creates the mark, which identifies the copy at a start after a crash.
  ///
  /// - Returns: false if the original is not what was sent, and the copy was removed.
  private func place(
    _ part: ArchivedPart, _ copy: StagedCopy, of id: JobID, as choices: [[UInt8]]
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      guard try part.isFinal(copy) else {
        try copy.remove()
        return false
      }
      try mark(id)
      Failpoint.archiveMarked.pass()
      try Self.takeFirst(of: choices) { choice throws(FileError) in try copy.place(as: choice) }
      Failpoint.archivePlaced.pass()
      return true
    } catch {
      try removeMark(id)
      try copy.remove()
      throw error
    }
  }

  /// True if the copy already has one of the names that it may get in the archive.
  private func isCopied(
    _ part: ArchivedPart, _ choices: [[UInt8]], _ directory: Directory
  ) throws(FileError) -> Bool {
    for choice in choices where try exists(choice, in: directory) {
      if try part.isCopied(to: choice, in: directory) { return true }
    }
    return false
  }

  /// Tries one name after the other until one is free.
  private static func takeFirst(of choices: [[UInt8]], _ move: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
    var rest = choices[...]
    while let choice = rest.popFirst() {
      do throws(FileError) {
        return try move(choice)
      } catch {
        guard error.errno == EEXIST, !rest.isEmpty else { throw error }
      }
    }
  }

  /// Ends the archiving of a part that was copied and whose original is removed.
  package func endArchive(_ id: JobID) throws(FileError) {
    Failpoint.archiveSourceRemoved.pass()
    try removeMark(id)
    Failpoint.archiveMarkRemoved.pass()
  }

  private func mark(_ id: JobID) throws(FileError) {
    _ = try claims.create(Archive.mark(id), permissions: 0o600)
    Failpoint.archiveMarking.pass()
    try claims.sync(.archiveMark)
  }

  func removeMark(_ id: JobID) throws(FileError) { try claims.removeIfPresent(Archive.mark(id)) }
}
