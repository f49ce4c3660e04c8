import Glibc
import Jobs
import Linux
import Seams

/// A complete copy of a group's directory. It is durable under a temporary name until it gets its final one.
struct StagedTree: Staged {
  private let directory: Directory
  private let name: [UInt8]

  /// Copies a directory with everything in it; with `linking`, files on the same file system are linked instead. Anything that an
  /// earlier call left under the temporary name is removed.
  init(of root: Directory, in directory: Directory, as name: [UInt8], linking: Bool) throws(FileError) {
    self.directory = directory
    self.name = name
    _ = try LockedSpool.remove(name, from: directory, withFiles: true)
    try directory.makeDirectory(name, permissions: 0o700)
    Failpoint.copyMade.pass()
    do throws(FileError) {
      try Self.fill(try directory.directory(name), from: root, linking: linking)
      Failpoint.copySynced.pass()
    } catch {
      _ = try LockedSpool.remove(name, from: directory, withFiles: true)
      throw error
    }
  }

  func place(as final: [UInt8]) throws(FileError) { try directory.rename(name, into: directory, as: final) }

  func remove() throws(FileError) { _ = try LockedSpool.remove(name, from: directory, withFiles: true) }

  /// Copies the contents of a directory. However deep it is, few directories are open at a time.
  private static func fill(_ target: Directory, from source: Directory, linking: Bool) throws(FileError) {
    var folders: [[UInt8]] = [[]]
    var next = 0
    while next < folders.count {
      let path = folders[next]
      next += 1
      for name in try fill(try target.folder(path), fromFilesOf: try source.folder(path), linking: linking) {
        folders.append(FileName(FileName(bytes: name), in: path).bytes)
      }
    }
    for path in folders.reversed() {
      let folder = try target.folder(path)
      try folder.descriptor.setPermissions(
        linking ? 0o770 : try source.folder(path).facts().permissions & 0o777, path: folder.path)
      try folder.sync(.copy)
    }
  }

  /// Copies the files of one directory and creates empty directories for those in it. Returns the names of these.
  private static func fill(
    _ target: Directory, fromFilesOf source: Directory, linking: Bool
  ) throws(FileError) -> [[UInt8]] {
    var folders: [[UInt8]] = []
    let listing = try source.listing()
    while let entry = try listing.next() {
      let facts = try source.facts(of: entry.name)
      if facts.kind == .directory {
        try target.makeDirectory(entry.name, permissions: 0o700)
        folders.append(entry.name)
        continue
      }
      if linking, try isLinked(entry.name, from: source, into: target) { continue }
      let file = try source.openOurs(entry.name)
      let copy = try StagedCopy(
        of: file, in: target, as: entry.name, permissions: linking ? 0o660 : facts.permissions & 0o777)
      guard try file.holdsSameBytes(as: try copy.open()) else {
        throw FileError("copy", path: "\(source.path)/\(String(decoding: entry.name, as: UTF8.self))", errno: EIO)
      }
    }
    return folders
  }

  private static func isLinked(
    _ name: [UInt8], from source: Directory, into target: Directory
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      try source.link(name, into: target, as: name)
      return true
    } catch {
      guard [EXDEV, EPERM, EMLINK, EOPNOTSUPP].contains(error.errno) else { throw error }
      return false
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
      let (a, b): (FileFacts, FileFacts)
      do throws(FileError) {
        (a, b) = (try one.facts(of: entry.name), try other.facts(of: entry.name))
      } catch {
        guard error.errno == ENOENT else { throw error }
        return nil
      }
      guard a.kind == b.kind else { return nil }
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
