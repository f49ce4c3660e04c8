import Glibc
import Linux

/// The removal of an archived group, a few files at a time.
///
/// First all of the group is checked. Then its directory is moved into the daemon's own directory, where nobody else can replace
/// it, and is checked again. Then it gets the name that marks it as safe to remove, and is removed. After a crash it is in one of
/// the three places, and the next pass continues from there.
struct GroupExpiry: Sendable {
  enum Course: Hashable { case underWay, over(stays: Bool) }

  private enum Stage {
    case beginning
    case looking(GroupPages, Directory, isOurs: Bool)
    case removing
  }

  /// The number of files that were removed.
  private(set) var removed = 0

  private let group: ArchivedGroup
  private let archive: Directory
  /// The daemon's own directory in the archive.
  private let folder: Directory
  private var stage = Stage.beginning

  private var leaving: [UInt8] { Array("leaving-\(group.inode)".utf8) }
  private var leavable: [UInt8] { Array("removing-\(group.inode)".utf8) }

  init(_ group: ArchivedGroup, from archive: Directory, into folder: Directory) {
    self.group = group
    self.archive = archive
    self.folder = folder
  }

  /// Handles up to `left` files, and subtracts their number from `left`.
  mutating func goOn(_ left: inout Int) throws(FileError) -> Course {
    do throws(FileError) {
      switch stage {
      case .beginning: return try begin()
      case .looking(let pages, let root, let isOurs): return try look(pages, root, isOurs, &left)
      case .removing: return try remove(&left)
      }
    } catch {
      // Somebody removed a name, made a link or a socket in it, or withdrew the daemon's access to a directory in it.
      guard error.isOfSomethingGone || [EXDEV, EINVAL, EACCES, EPERM].contains(error.errno) else { throw error }
      return try stay()
    }
  }

  private mutating func begin() throws(FileError) -> Course {
    if try facts(of: leavable, in: folder) != nil {
      stage = .removing
    } else if try facts(of: leaving, in: folder)?.inode == group.inode {
      try beginLook(leaving, in: folder, isOurs: true)
    } else {
      let (path, name) = group.path.place
      let directory = path.isEmpty ? archive : try archive.directory(below: path).reopened()
      guard let facts = try facts(of: name, in: directory) else { return .over(stays: false) }
      guard facts.kind == .directory, facts.inode == group.inode, facts.changed == group.changed else {
        return .over(stays: facts.kind == .directory)
      }
      try beginLook(name, in: directory, isOurs: false)
    }
    return .underWay
  }

  private mutating func beginLook(_ name: [UInt8], in directory: Directory, isOurs: Bool) throws(FileError) {
    let root = try directory.directory(name)
    stage = .looking(GroupPages(try GroupTree(root, marker: nil)), root, isOurs: isOurs)
  }

  private mutating func look(
    _ pages: GroupPages, _ root: Directory, _ isOurs: Bool, _ left: inout Int
  ) throws(FileError) -> Course {
    let page = try pages.next(upTo: left)
    left -= page.count
    for file in page {
      let (directory, last) = try GroupTree.location(file.path, in: root)
      guard file.facts.links == 1, directory.writers(of: last, whose: file.facts) != .some else { return try stay() }
    }
    guard page.isEmpty else { return .underWay }
    guard pages.sum == group.sum else { return try stay() }
    if isOurs {
      try folder.rename(leaving, intoOurs: folder, as: leavable)
      stage = .removing
    } else {
      let (path, name) = group.path.place
      let directory = path.isEmpty ? archive : try archive.directory(below: path)
      try directory.rename(name, intoOurs: folder, as: leaving)
      try beginLook(leaving, in: folder, isOurs: true)
    }
    return .underWay
  }

  private mutating func remove(_ left: inout Int) throws(FileError) -> Course {
    guard try isEmpty(try folder.directory(leavable), &left) else {
      return left > 0 ? try stay() : .underWay
    }
    try folder.removeDirectory(leavable)
    return .over(stays: false)
  }

  /// Removes the files of a directory and of those below it.
  ///
  /// - Returns: false if files are left: more than `left`, or one that was added or changed since the check.
  private mutating func isEmpty(_ directory: Directory, _ left: inout Int) throws(FileError) -> Bool {
    let listing = try directory.listing()
    while let entry = try listing.next() {
      let facts = try directory.facts(of: entry.name)
      if facts.kind == .directory {
        guard try isEmpty(try directory.directory(entry.name), &left) else { return false }
        try directory.removeDirectory(entry.name)
      } else {
        guard left > 0, facts.kind == .regular, facts.links == 1, facts.changed <= group.changed else {
          return false
        }
        try directory.remove(entry.name)
        removed += 1
        left -= 1
      }
    }
    return true
  }

  /// Keeps the group: if it was moved, it is moved back.
  private func stay() throws(FileError) -> Course {
    let (path, name) = group.path.place
    var isThere = false
    for moved in [leaving, leavable] where try facts(of: moved, in: folder)?.kind == .directory {
      let directory: Directory
      do throws(FileError) {
        directory = path.isEmpty ? archive : try archive.directory(below: path)
      } catch {
        guard error.isOfSomethingGone else { throw error }
        try folder.putBack(moved, as: name, into: archive)
        return .over(stays: true)
      }
      try folder.putBack(moved, as: name, into: directory)
      isThere = true
    }
    if !isThere, path.isEmpty { isThere = try facts(of: name, in: archive) != nil }
    return .over(stays: isThere)
  }

  private func facts(of name: [UInt8], in directory: Directory) throws(FileError) -> FileFacts? {
    do throws(FileError) {
      return try directory.facts(of: name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }
}
