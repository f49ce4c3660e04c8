import Glibc
package import Jobs
package import Linux
package import Messages
import Seams

/// A directory that takes the files of registered jobs, under the names they were dropped with.
package struct Archive: Sendable {
  package let path: String

  /// The archive of a spool's configuration; nil if it has none. The directory need not exist yet.
  package init?(_ options: SpoolOptions) {
    guard let path = options.archivePath else { return nil }
    self.init(path: path)
  }

  package init(path: String) { self.path = path }

  /// Opens the archive's directory. A directory that would disappear with the service is refused.
  func open() throws(FileError) -> Directory { try LockedSpool.target(path, to: "archive into") }

  /// Returns what to do about the error of a disposal; nil if the error did not happen in this archive.
  package func remedy(for error: FileError) -> Message? {
    let isHere = [error.path, error.target ?? ""].contains { $0 == path || $0.hasPrefix(path + "/") }
    guard isHere else { return nil }
    // The service alone sees the directory.
    if error.advice != nil { return .nameAnotherArchive }
    let user = UserName.of(ProcessRights.user)
    return switch error.errno {
    case ENOENT: .mountItOr(else: SpoolProblem.toSee(path, .makeIt(how: DirectoryRecipe().archive(path).joined())))
    case ENOTDIR: .nameDirectory
    case EACCES, EPERM: SpoolProblem.toSee(path, .grantWriting(user: user, how: "chown \(user) \(path)"))
    case EROFS: .mountReadWrite(path: path)
    case ENOSPC, EDQUOT: .makeRoomIn(path: path)
    case EINVAL, ENAMETOOLONG, EILSEQ: .nameOtherArchive
    default: .makeFilesPossible(path: path)
    }
  }

  /// The temporary name, in the archive's directory, of an incomplete copy.
  static func unfinished(_ id: JobID) -> [UInt8] { Array(".waybill-\(id)".utf8) }

  package func removeUnfinished(_ id: JobID) { remove(Self.unfinished(id), below: []) }

  /// Removes the incomplete copy that a crash left of a file or group that is gone or was not archived.
  func remove(_ unfinished: [UInt8], below path: [[UInt8]]) {
    do throws(FileError) {
      let root = try open()
      let below = Array(path.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
      let folder = below.isEmpty ? root : try root.directory(below: below)
      try folder.removeWhole(unfinished)
    } catch {
      // No job waits for this removal: the copy has nothing that is not also elsewhere.
    }
  }

  /// The name of the mark in `.waybill`. The mark says that a complete copy has its name in the archive, or is about to get it.
  static func mark(_ id: JobID) -> [UInt8] { Array("\(id).archived".utf8) }
}

/// The names that a file may get in an archive, in order of preference. The third is taken only if a file was dropped under the second.
struct ArchivedName {
  let directories: [[UInt8]]
  let choices: [[UInt8]]
  private let id: JobID
  private let job: JobNumber
  /// The document, if the file is its sidecar.
  var document: (identity: FileIdentity, pattern: SidecarPattern)?

  var unfinished: [UInt8] { Archive.unfinished(id) + Array((document == nil ? "" : ".sidecar").utf8) }

  static let longestName = 255

  /// - Parameter longest: less for a document, if its sidecar's name is to fit too.
  init(_ name: FileName, job: JobNumber, id: JobID, longest: Int = longestName) {
    let components = name.bytes.split(separator: UInt8(ascii: "/"))
    let own = Array(components.last ?? [])
    directories = components.dropLast().map { Array($0) }
    (self.id, self.job) = (id, job)
    choices = [own] + ["\(job)", "\(job).\(id)"].map { Self.insert($0, into: own, longest) }
  }

  /// The names that the file may get in its directory. A sidecar's begin with the one that fits its document's name there, if that is
  /// there.
  func choices(in directory: Directory) throws(FileError) -> [[UInt8]] {
    guard let (identity, pattern) = document else { return choices }
    var rest = choices[...]
    for index in choices.indices {
      let facts = try directory.factsIfPresent(choices[index])
      guard let facts, facts.kind == .regular, FileIdentity(facts).mayHoldBytes(of: identity) else { continue }
      rest = choices[index...]
      break
    }
    return rest.map { pattern.sidecar(of: FileName(bytes: $0)).bytes }
  }

  /// The name of a directory, if a file in the archive has its own.
  func instead(of directory: [UInt8]) -> [UInt8] { Self.insert("\(job)", into: directory) }

  /// `scan.pdf` becomes `scan.42.pdf`. If the result would be too long, the end of the stem is cut off.
  private static func insert(_ word: String, into name: [UInt8], _ longestName: Int = longestName) -> [UInt8] {
    let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    let tail = Array(".\(word)".utf8) + name[dot...]
    guard tail.count < longestName else { return Array((Array("\(word).".utf8) + name).prefix(longestName)) }
    var stem = name[..<dot].prefix(longestName - tail.count)
    // Do not cut inside a character of UTF-8: a byte 10xxxxxx continues one.
    while stem.count < name[..<dot].count, let next = name[..<dot].dropFirst(stem.count).first, next & 0xC0 == 0x80 {
      stem = stem.dropLast()
    }
    return Array(stem) + tail
  }
}

extension LockedSpool {
  /// Moves a file of a claim into an archive; `changed` if it was written to while it was copied.
  func archive(
    _ member: Member, of id: JobID, in archive: Archive, as name: ArchivedName
  ) throws(FileError) -> Disposal {
    let (from, claimed) = (member.directory, member.name)
    let root = try archive.open()
    func move() throws(FileError) -> ArchiveMove {
      let directory = try open(name, below: root)
      return try self.move(
        (from, claimed), of: id, into: directory, as: try name.choices(in: directory), name.unfinished,
        sent: .file(member.identity))
    }
    let moved: ArchiveMove
    do throws(FileError) {
      moved = try move()
    } catch {
      // Whoever empties the archive by age may have removed the directory at this moment, because it had become empty.
      guard error.errno == ENOENT, !name.directories.isEmpty else { throw error }
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

  /// Opens the directory for a name below the archive, and creates the missing ones.
  private func open(_ name: ArchivedName, below archive: Directory) throws(FileError) -> Directory {
    var directory = archive
    for own in name.directories {
      do throws(FileError) {
        directory = try open(own, below: directory)
      } catch {
        guard error.errno == ENOTDIR else { throw error }
        directory = try open(name.instead(of: own), below: directory)
      }
    }
    return directory
  }

  private func open(_ name: [UInt8], below directory: Directory) throws(FileError) -> Directory {
    _ = try unless(EEXIST) { () throws(FileError) -> Void in
      try directory.makeDirectory(name, permissions: 0o770)
      Failpoint.archiveFolderMade.pass()
      try directory.sync(.archiveFolder)
    }
    return try directory.directory(name)
  }
}

/// The result of a move into an archive.
package enum ArchiveMove {
  /// The original has a name in the archive.
  case renamed
  /// A copy has a name in the archive, durably. The original is still there; its removal is followed by ``LockedSpool/endArchive(_:)``.
  case copied
  /// The original was written to after it was sent, and stays.
  case changed
}

extension LockedSpool {
  /// Moves a file or group of a claim into an archive, under the first free one of some names: by a rename, or by a durable copy, which
  /// gets its name after a mark. A second call after a crash completes this and makes no second copy.
  /// - Parameter sent: the facts that the original must still have after the copy.
  func move(
    _ place: ClaimPlace, of id: JobID, into directory: Directory, as choices: [[UInt8]], _ unfinished: [UInt8],
    sent: SentFacts
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
    let original = try Original(place)
    let isUnfinished = try exists(unfinished, in: directory)
    var isThere = false
    if isMarked, !isUnfinished {
      // Some files of a group may already be removed, so the copy may have more.
      for choice in choices where !isThere {
        if try exists(choice, in: directory) {
          isThere = try original.isSame(as: choice, in: directory, alsoBack: false)
        }
      }
    }
    if !isThere {
      try removeMark(id)
      let copy = try original.copy(into: directory, as: unfinished, isForPeople: false)
      isThere = try self.place(copy, of: original, sent, id, as: choices)
    }
    guard isThere else { return .changed }
    try directory.sync(.archiveEntry)
    Failpoint.archiveSynced.pass()
    return .copied
  }

  /// Gives a copy its name, after the mark. Returns false if the original is not what was sent, and the copy was removed.
  private func place(
    _ copy: StagedCopy, of original: Original, _ sent: SentFacts, _ id: JobID, as choices: [[UInt8]]
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      guard try original.isStill(sent, after: copy) else {
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

  /// Ends the archiving of what was copied and whose original is removed.
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
