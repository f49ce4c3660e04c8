import Glibc
public import Jobs
package import Linux
package import Messages
import Seams

/// A directory that takes the files of registered jobs, under the names they were dropped with.
public struct Archive: Sendable {
  /// The path, as configured.
  public let path: String

  /// The archive of a spool's configuration; nil if it has none. The directory need not exist yet.
  public init?(_ options: SpoolOptions) {
    guard let path = options.archivePath else { return nil }
    self.init(path: path)
  }

  /// An archive at this path. The directory need not exist yet.
  public init(path: String) { self.path = path }

  /// Creates and removes a trial file, to prove that the daemon can write there. Each error says what is wrong and what to do.
  public func tryOut(_ options: SpoolOptions) throws(SpoolProblem) {
    do throws(FileError) {
      let directory = try open()
      let trial = try LockedSpool.trialFile(in: directory)
      Failpoint.archiveTried.pass()
      // Another daemon, at the same moment, may have used the same trial file and removed it.
      try directory.removeIfPresent(trial)
    } catch {
      throw SpoolProblem(
        options, .archive, .archiveUnusable(why: error.message),
        remedy: error.advice == nil ? Self.remedy(error.errno, path) : Message.nameAnotherArchive, errno: error.errno)
    }
  }

  /// Opens the archive's directory. A directory that would disappear with the service is refused.
  func open() throws(FileError) -> Directory { try LockedSpool.target(path, to: "archive into") }

  /// Returns what to do about the error of a disposal; nil if the error did not happen in this archive.
  package func remedy(for error: FileError) -> Message? {
    let isHere = [error.path, error.target ?? ""].contains { $0 == path || $0.hasPrefix(path + "/") }
    guard isHere, error.advice == nil else { return nil }
    let remedy = Self.remedy(error.errno, path)
    return error.errno == ENOENT ? .mountItOr(else: remedy) : remedy
  }

  private static func remedy(_ errno: Int32, _ path: String) -> Message {
    let user = UserName.of(ProcessRights.user)
    return switch errno {
    case ENOENT: .makeIt(how: DirectoryRecipe().archive(path).joined() + UnitAccess.toSee(path))
    case ENOTDIR: .nameDirectory
    case EACCES, EPERM: .grantWriting(user: user, how: "chown \(user) \(path)" + UnitAccess.toSee(path))
    case EROFS: .mountReadWrite(how: UnitAccess.toWrite(path))
    case ENOSPC, EDQUOT: .makeRoomIn(path: path)
    case EINVAL, ENAMETOOLONG, EILSEQ: .nameOtherArchive
    default: .makeFilesPossible(path: path)
    }
  }

  /// The temporary name, in the archive's directory, of an incomplete copy.
  static func unfinished(_ id: JobID) -> [UInt8] { Array(".waybill-\(id)".utf8) }

  /// Removes the incomplete copy that a crash left of a group that was not archived.
  package func removeUnfinished(_ id: JobID) { remove(Self.unfinished(id), below: []) }

  /// Removes the incomplete copy that a crash left of a file or group that is gone or was not archived.
  func remove(_ unfinished: [UInt8], below path: [[UInt8]]) {
    do throws(FileError) {
      let root = try open()
      let below = Array(path.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
      let folder = below.isEmpty ? root : try root.directory(below: below)
      try folder.removeWhole(unfinished)
    } catch {
      // The archive is unavailable, or has no such directory. No job waits for this removal: the copy has nothing that is not
      // also elsewhere.
    }
  }

  /// The name of the mark in `.waybill`. The mark says that a complete copy has its name in the archive, or is about to get it.
  static func mark(_ id: JobID) -> [UInt8] { Array("\(id).archived".utf8) }
}

/// The names that a file may get in an archive, in order of preference: its own name, its name with the job's number, its name with
/// the job's id as well. The third is taken only if a file was dropped under the second one.
struct ArchivedName {
  /// The directories below the archive, outermost first.
  let directories: [[UInt8]]
  let choices: [[UInt8]]

  /// NAME_MAX of Linux (limits.h).
  private static let longestName = 255

  init(_ name: FileName, job: JobNumber, id: JobID) {
    let parts = name.bytes.split(separator: UInt8(ascii: "/"))
    let own = Array(parts.last ?? [])
    directories = parts.dropLast().map { Array($0) }
    choices = [own, Self.insert("\(job)", into: own), Self.insert("\(job).\(id)", into: own)]
  }

  /// The choices from the one on that a document with these facts has. If no choice fits, all of them.
  func choices(of document: FileIdentity, in directory: Directory) throws(FileError) -> ArraySlice<[UInt8]> {
    for index in choices.indices {
      let facts = try directory.factsIfPresent(choices[index])
      if let facts, facts.kind == .regular, FileIdentity(facts).mayHoldBytes(of: document) { return choices[index...] }
    }
    return choices[...]
  }

  /// `scan.pdf` becomes `scan.42.pdf`, `README` becomes `README.42`. If the result would be too long, the end of the stem is
  /// cut off.
  private static func insert(_ word: String, into name: [UInt8]) -> [UInt8] {
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

/// The destination of one file of a claim in an archive.
struct Archiving {
  let archive: Archive
  /// The directories below the archive, outermost first.
  let path: [[UInt8]]
  /// The temporary name there of an incomplete copy.
  let unfinished: [UInt8]
  /// The names that the file may get in that directory, in order of preference.
  let choices: (Directory) throws(FileError) -> [[UInt8]]

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
      ) { () throws(FileError) in .file(try from.openOurs(claimed), member.identity) }
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
  private func isCopied(_ part: ArchivedPart, _ choices: [[UInt8]], _ directory: Directory) throws(FileError) -> Bool {
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
