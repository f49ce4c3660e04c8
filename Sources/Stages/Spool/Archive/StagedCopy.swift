import Glibc
import Jobs
import Linux
import Seams

/// A complete copy of a file, or of a directory with everything in it: durable under a temporary name until it gets the final one.
struct StagedCopy {
  private let directory: Directory
  private let name: [UInt8]

  /// Renames the copy to its final name. Throws EEXIST if that name is taken, and replaces nothing.
  func place(as final: [UInt8]) throws(FileError) { try directory.rename(name, into: directory, as: final) }

  func remove() throws(FileError) { try directory.removeWhole(name) }

  /// Copies a file with its modification time and attributes, durably. What an earlier call left under the temporary name is removed.
  init(of file: OpenFile, in directory: Directory, as name: [UInt8], permissions: UInt32) throws(FileError) {
    self.directory = directory
    self.name = name
    try directory.removeIfPresent(name)
    let copy = try directory.create(name, permissions: 0o600)
    Failpoint.copyMade.pass()
    do throws(FileError) {
      let path = "\(directory.path)/\(String(decoding: name, as: UTF8.self))"
      _ = try copy.copy(from: file, path: path)
      try Self.copyAttributes(of: file, to: copy, in: directory, path: path)
      try copy.setPermissions(permissions, path: path)
      try copy.setModified(try file.facts().modified, path: path)
      Failpoint.copySyncing.pass()
      try copy.sync(.copy, path: path)
      Failpoint.copySynced.pass()
    } catch {
      try directory.removeIfPresent(name)
      throw error
    }
  }

  func open() throws(FileError) -> OpenFile { try directory.open(name) }

  /// Copies the user attributes of the file, as far as the other file system accepts them.
  private static func copyAttributes(
    of file: OpenFile, to copy: borrowing Descriptor, in directory: Directory, path: String
  ) throws(FileError) {
    let attributes = try file.attributes(where: { $0.hasPrefix("user.") }, count: 256, bytes: 65_536)
    for (name, value) in attributes.values.sorted(by: { $0.key < $1.key }) {
      do throws(FileError) {
        try copy.setAttribute(name, value, path: path)
      } catch {
        switch error.errno {
        case ENOTSUP: return
        // An attribute is too large for that file system. A full disk gives the same error (setxattr(2)).
        case ENOSPC, E2BIG, ERANGE: if try directory.fileSystem().availableBytes < roomForAttributes { throw error }
        default: throw error
        }
      }
    }
  }

  /// With this many bytes free, a failure to set an attribute is not due to a full disk.
  private static let roomForAttributes: Int64 = 1 << 20
}

/// The file or the directory of a claim, opened to be copied.
enum Original {
  case file(OpenFile)
  case group(Directory)

  init(_ place: ClaimPlace) throws(FileError) {
    let (directory, name) = place
    if try directory.facts(of: name).kind == .directory {
      self = .group(try directory.directory(name))
    } else {
      self = .file(try directory.openOurs(name))
    }
  }

  /// Makes a complete and durable copy. For a release (`isForPeople`) others may write to it, and files of a group are linked if possible.
  func copy(into directory: Directory, as name: [UInt8], isForPeople: Bool) throws(FileError) -> StagedCopy {
    switch self {
    case .file(let file):
      try StagedCopy(
        of: file, in: directory, as: name, permissions: isForPeople ? 0o660 : try file.facts().permissions & 0o777)
    case .group(let root): try StagedCopy(of: root, in: directory, as: name, linking: isForPeople)
    }
  }

  /// Returns true if the original and its copy are what was sent. Of a group only the sum is compared: each file was compared with its copy
  /// when that was made.
  func isStill(_ sent: SentFacts, after copy: StagedCopy) throws(FileError) -> Bool {
    switch (self, sent) {
    case (.file(let file), .file(let identity)):
      guard try file.holdsSameBytes(as: try copy.open()) else { return false }
      return FileIdentity(try file.facts()) == identity
    case (.group(let root), .group(let sum)): return try GroupLook(root, marker: nil).sum == sum
    case (.file, .group), (.group, .file): return false
    }
  }

  /// Returns true if another name has the same bytes: for a group, all its files and, with `alsoBack`, no others.
  func isSame(as name: [UInt8], in directory: Directory, alsoBack: Bool) throws(FileError) -> Bool {
    let kind = try directory.facts(of: name).kind
    switch self {
    case .file(let file):
      guard kind == .regular else { return false }
      return try file.holdsSameBytes(as: try directory.open(name))
    case .group(let root):
      guard kind == .directory else { return false }
      return try StagedCopy.isSame(root, try directory.directory(name), alsoBack: alsoBack)
    }
  }
}

enum SentFacts {
  case file(FileIdentity)
  case group(GroupSum)
}

extension OpenFile {
  func holdsSameBytes(as other: OpenFile) throws(FileError) -> Bool {
    guard try facts().size == other.facts().size else { return false }
    var offset: Int64 = 0
    while true {
      let bytes = try read(at: offset, count: 1 << 20)
      guard try bytes == other.read(at: offset, count: 1 << 20) else { return false }
      if bytes.isEmpty { return true }
      offset += Int64(bytes.count)
    }
  }
}

extension Directory {
  /// Removes a file, or a directory with everything in it; returns false if there is nothing of this name.
  @discardableResult
  func removeWhole(_ name: [UInt8]) throws(FileError) -> Bool {
    let isRemoved = try unless(EISDIR) { () throws(FileError) in try removeIfPresent(name) }
    if let isRemoved { return isRemoved }
    return try LockedSpool.remove(name, from: self, withFiles: true)
  }
}

extension StagedCopy {
  /// Copies a directory with everything in it; with `linking`, files on the same file system are linked instead.
  init(of root: Directory, in directory: Directory, as name: [UInt8], linking: Bool) throws(FileError) {
    self.directory = directory
    self.name = name
    try directory.removeWhole(name)
    try directory.makeDirectory(name, permissions: 0o700)
    Failpoint.copyMade.pass()
    do throws(FileError) {
      try Self.fill(try directory.directory(name), from: root, linking: linking)
      Failpoint.copySynced.pass()
    } catch {
      try directory.removeWhole(name)
      throw error
    }
  }

  /// Copies the contents of a directory. However deep it is, few directories are open at a time.
  private static func fill(_ target: Directory, from source: Directory, linking: Bool) throws(FileError) {
    var folders: [[UInt8]] = [[]]
    var next = 0
    while next < folders.count {
      let path = folders[next]
      next += 1
      let (from, to) = (try source.folder(path), try target.folder(path))
      let listing = try from.listing()
      while let entry = try listing.next() {
        let facts = try from.facts(of: entry.name)
        if facts.kind == .directory {
          try to.makeDirectory(entry.name, permissions: 0o700)
          folders.append(FileName(FileName(bytes: entry.name), in: path).bytes)
        } else {
          try copy(entry.name, facts, from: from, to: to, linking: linking)
        }
      }
    }
    for path in folders.reversed() {
      let folder = try target.folder(path)
      try folder.descriptor.setPermissions(
        linking ? 0o770 : try source.folder(path).facts().permissions & 0o777, path: folder.path)
      try folder.sync(.copy)
    }
  }

  private static func copy(
    _ name: [UInt8], _ facts: FileFacts, from source: Directory, to target: Directory, linking: Bool
  ) throws(FileError) {
    if linking {
      let isLinked: Void? = try unless(EXDEV, EPERM, EMLINK, EOPNOTSUPP) { () throws(FileError) in
        try source.link(name, into: target, as: name)
      }
      if isLinked != nil { return }
    }
    let file = try source.openOurs(name)
    let copy = try StagedCopy(
      of: file, in: target, as: name, permissions: linking ? 0o660 : facts.permissions & 0o777)
    guard try file.holdsSameBytes(as: try copy.open()) else {
      throw FileError("copy", path: "\(source.path)/\(String(decoding: name, as: UTF8.self))", errno: EIO)
    }
  }

  /// True if `other` has all files of `one` with the same bytes and, with `alsoBack`, no others.
  static func isSame(_ one: Directory, _ other: Directory, alsoBack: Bool) throws(FileError) -> Bool {
    var folders: [[UInt8]] = [[]]
    while let path = folders.popLast() {
      let (a, b) = (try one.folder(path), try other.folder(path))
      guard let below = try compare(filesOf: a, b, alsoBack: alsoBack) else { return false }
      for name in below { folders.append(FileName(FileName(bytes: name), in: path).bytes) }
    }
    return true
  }

  /// Compares the files of two directories. Returns the names of the directories in them; nil if they differ.
  private static func compare(
    filesOf one: Directory, _ other: Directory, alsoBack: Bool
  ) throws(FileError) -> [[UInt8]]? {
    var names: Set<[UInt8]> = []
    var folders: [[UInt8]] = []
    let listing = try one.listing()
    while let entry = try listing.next() {
      names.insert(entry.name)
      let facts = try one.factsIfPresent(entry.name)
      guard let a = facts, let b = try other.factsIfPresent(entry.name), a.kind == b.kind else { return nil }
      if a.kind == .directory {
        folders.append(entry.name)
      } else if !a.isSameFile(as: b) {
        guard try one.open(entry.name).holdsSameBytes(as: try other.open(entry.name)) else { return nil }
      }
    }
    guard alsoBack else { return folders }
    let others = try other.listing()
    while let entry = try others.next() { if !names.contains(entry.name) { return nil } }
    return folders
  }
}
