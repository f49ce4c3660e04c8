import Failpoints
import Glibc
import LinuxFiles

/// A whole copy of a group's directory, durable under a temporary name until it gets its own.
struct StagedTree: Staged {
  private let directory: Directory
  private let name: [UInt8]

  /// Copies a directory with all that is in it; files of the same file system may be linked instead. Whatever an earlier call
  /// left under the temporary name is removed.
  init(of root: Directory, in directory: Directory, as name: [UInt8], linking: Bool) throws(FileError) {
    self.directory = directory
    self.name = name
    _ = try HeldSpool.remove(name, from: directory, withFiles: true)
    try directory.makeDirectory(name, permissions: 0o700)
    Failpoint.copyMade.pass()
    do throws(FileError) {
      try Self.fill(try directory.directory(name), from: root, linking: linking)
      Failpoint.copySynced.pass()
    } catch {
      _ = try HeldSpool.remove(name, from: directory, withFiles: true)
      throw error
    }
  }

  func place(as final: [UInt8]) throws(FileError) { try directory.rename(name, into: directory, as: final) }

  func remove() throws(FileError) { _ = try HeldSpool.remove(name, from: directory, withFiles: true) }

  private static func fill(_ target: Directory, from source: Directory, linking: Bool) throws(FileError) {
    let listing = try source.listing()
    while let entry = try listing.next() {
      let facts = try source.facts(of: entry.name)
      if facts.kind == .directory {
        try target.makeDirectory(entry.name, permissions: 0o700)
        try fill(try target.directory(entry.name), from: try source.directory(entry.name), linking: linking)
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
    try target.descriptor.setPermissions(
      linking ? 0o770 : try source.facts().permissions & 0o777, path: target.path)
    try target.sync(.copy)
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

  /// True if a directory has all files of another one with the same bytes, whatever else it has.
  static func has(_ copy: Directory, allOf one: Directory) throws(FileError) -> Bool {
    try compare(one, copy, alsoBack: false)
  }

  /// True if two directories have the same files with the same bytes.
  static func isSame(_ one: Directory, _ other: Directory) throws(FileError) -> Bool {
    try compare(one, other, alsoBack: true)
  }

  private static func compare(_ one: Directory, _ other: Directory, alsoBack: Bool) throws(FileError) -> Bool {
    var names: Set<[UInt8]> = []
    let listing = try one.listing()
    while let entry = try listing.next() {
      names.insert(entry.name)
      let (a, b): (FileFacts, FileFacts)
      do throws(FileError) {
        (a, b) = (try one.facts(of: entry.name), try other.facts(of: entry.name))
      } catch {
        guard error.errno == ENOENT else { throw error }
        return false
      }
      guard a.kind == b.kind else { return false }
      if a.kind == .directory {
        let (below, other) = (try one.directory(entry.name), try other.directory(entry.name))
        guard try compare(below, other, alsoBack: alsoBack) else { return false }
      } else if !a.isSameFile(as: b) {
        guard try one.open(entry.name).holdsSameBytes(as: try other.open(entry.name)) else { return false }
      }
    }
    guard alsoBack else { return true }
    let others = try other.listing()
    while let entry = try others.next() { if !names.contains(entry.name) { return false } }
    return true
  }
}
