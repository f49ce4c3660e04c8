import Glibc
public import Linux

/// The removal of the files that were archived on one day, a few at a time.
///
/// A file is removed if it is still under its name, is unchanged, has no other name, and nobody has it open for writing. All
/// other files stay for good: somebody has changed, linked or moved them, so they belong to that person. A group is removed if
/// all this holds for each of its files, and no file was added or removed (``GroupExpiry``).
public struct ArchiveExpiry: Sendable {
  /// The number of files that were removed.
  public private(set) var removed = 0
  /// The number of files and groups that are still there and will stay.
  public private(set) var kept = 0

  /// The number of bytes to read from a list at once.
  private static let portion = 64 << 10

  private let archive: Directory
  private let folder: Directory
  private let day: [UInt8]
  private let list: OpenFile
  private var offset: Int64 = 0
  private var unread: ArraySlice<UInt8> = []
  /// The group that is being removed; nil if there is none.
  private var group: GroupExpiry?

  /// Opens the list of a day.
  public init(of day: String, in index: ArchiveIndex) throws(FileError) {
    archive = try Directory(path: index.path)
    folder = try index.open(in: archive)
    self.day = Array(day.utf8)
    list = try folder.openOurs(self.day)
  }

  /// Handles the next files of the list, at most `most` of them.
  ///
  /// - Returns: true if the list has been processed to its end and removed.
  public mutating func goOn(upTo most: Int) throws(FileError) -> Bool {
    var left = most
    while left > 0 {
      if group != nil {
        try goOnWithGroup(&left)
        continue
      }
      guard let line = try nextLine() else {
        try folder.remove(day)
        return true
      }
      left -= 1
      switch ArchivedEntry(line: line) {
      case .file(let file): try expire(file)
      case .group(let entry): group = GroupExpiry(entry, from: archive, into: folder)
      case nil: break
      }
    }
    return false
  }

  private mutating func goOnWithGroup(_ left: inout Int) throws(FileError) {
    guard var group else { return }
    let before = group.removed
    let course = try group.goOn(&left)
    removed += group.removed - before
    self.group = course == .underWay ? group : nil
    if course == .over(stays: true) { kept += 1 }
  }

  private mutating func nextLine() throws(FileError) -> ArraySlice<UInt8>? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = unread[..<end]
        unread = unread[(end + 1)...]
        if line.isEmpty { continue }
        return line
      }
      let more = try list.read(at: offset, count: Self.portion)
      guard !more.isEmpty else { return nil }
      offset += Int64(more.count)
      unread += more
    }
  }

  private mutating func expire(_ file: ArchivedFile) throws(FileError) {
    let (path, name) = file.path.place
    // The file's name while it is being removed. After a crash, the next pass finds the file by this name.
    let leaving = Array("leaving-\(file.inode)".utf8)
    do throws(FileError) {
      let directory = path.isEmpty ? archive : try archive.directory(below: path)
      let facts = try directory.facts(of: name)
      guard file.isUnchanged(facts), directory.writers(of: name, whose: facts) != .some else {
        if facts.kind == .regular { kept += 1 }
        return
      }
      // In the daemon's own directory nobody else can replace it with another file.
      try directory.rename(name, intoOurs: folder, as: leaving)
      guard file.hasSameBytes(try folder.facts(of: leaving)) else {
        try folder.putBack(leaving, as: name, into: directory)
        kept += 1
        return
      }
      try folder.remove(leaving)
      removed += 1
    } catch {
      guard error.isOfSomethingGone || error.errno == EXDEV else { throw error }
      guard try isLeaving(leaving, file) else { return }
      try folder.remove(leaving)
      removed += 1
    }
    try removeEmpty(path)
  }

  private func isLeaving(_ leaving: [UInt8], _ file: ArchivedFile) throws(FileError) -> Bool {
    do throws(FileError) {
      return file.hasSameBytes(try folder.facts(of: leaving))
    } catch {
      guard error.errno == ENOENT else { throw error }
      return false
    }
  }

  /// Removes the directories of a path, innermost first, as long as they are empty and were made by the daemon.
  private func removeEmpty(_ path: [UInt8]) throws(FileError) {
    var path = path
    while !path.isEmpty {
      let slash = path.lastIndex(of: UInt8(ascii: "/"))
      let above = slash.map { Array(path[..<$0]) } ?? []
      let name = slash.map { Array(path[($0 + 1)...]) } ?? path
      do throws(FileError) {
        let directory = above.isEmpty ? archive : try archive.directory(below: above)
        guard try directory.facts(of: name).owner == ProcessRights.user else { return }
        try directory.removeDirectory(name)
      } catch {
        guard error.isOfSomethingGone || [ENOTEMPTY, EEXIST, EBUSY, EXDEV].contains(error.errno) else { throw error }
        return
      }
      path = above
    }
  }
}

extension Directory {
  /// Moves a file or group back from the daemon's directory into the archive. If its old name is taken, it gets another name
  /// beside it.
  func putBack(_ leaving: [UInt8], as name: [UInt8], into directory: Directory) throws(FileError) {
    do throws(FileError) {
      try rename(leaving, into: directory, as: name)
    } catch {
      guard error.errno == EEXIST else { throw error }
      let inode = leaving.drop { $0 != UInt8(ascii: "-") }.dropFirst()
      try rename(leaving, into: directory, as: Array(inode) + [UInt8(ascii: "-")] + name)
    }
  }
}
