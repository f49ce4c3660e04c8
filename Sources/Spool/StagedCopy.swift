import Failpoints
import Glibc
import LinuxFiles

/// A whole copy of a file, durable under a name that nobody looks at, until it gets its own.
struct StagedCopy {
  private let directory: Directory
  private let name: [UInt8]

  /// Copies a file with its time of modification and its attributes, and makes the bytes durable. What an earlier copy left under the
  /// temporary name is removed; so is this one where it fails.
  init(of file: OpenFile, in directory: Directory, as name: [UInt8], permissions: UInt32) throws(FileError) {
    self.directory = directory
    self.name = name
    try Self.remove(name, from: directory)
    let copy = try directory.create(name, permissions: 0o600)
    Failpoint.copyMade.pass()
    do throws(FileError) {
      let path = "\(directory.path)/\(String(decoding: name, as: UTF8.self))"
      _ = try copy.copy(from: file, path: path)
      try Self.copyAttributes(of: file, to: copy, path: path)
      try copy.setPermissions(permissions, path: path)
      try copy.setModified(try file.facts().modified, path: path)
      Failpoint.copySyncing.pass()
      try copy.sync(.copy, path: path)
      Failpoint.copySynced.pass()
    } catch {
      try Self.remove(name, from: directory)
      throw error
    }
  }

  /// The copy, open to be compared with what it was made of.
  func open() throws(FileError) -> OpenFile { try directory.open(name) }

  /// Gives the copy its name. Throws EEXIST rather than replace what stands there.
  func place(as final: [UInt8]) throws(FileError) { try directory.rename(name, into: directory, as: final) }

  /// Removes the copy, where it is not in place.
  func remove() throws(FileError) { try Self.remove(name, from: directory) }

  /// What travels with the file goes along where the other file system takes it.
  private static func copyAttributes(
    of file: OpenFile, to copy: borrowing Descriptor, path: String
  ) throws(FileError) {
    let attributes = try file.attributes(where: { $0.hasPrefix("user.") }, count: 256, bytes: 65_536)
    for (name, value) in attributes.values.sorted(by: { $0.key < $1.key }) {
      do throws(FileError) {
        try copy.setAttribute(name, value, path: path)
      } catch {
        guard error.errno == ENOTSUP else { throw error }
        return
      }
    }
  }

  private static func remove(_ name: [UInt8], from directory: Directory) throws(FileError) {
    do throws(FileError) {
      try directory.remove(name)
    } catch {
      guard error.errno == ENOENT else { throw error }
    }
  }
}

extension OpenFile {
  /// Whether another file holds the same bytes.
  func holdsSameBytes(as other: OpenFile) throws(FileError) -> Bool {
    guard try facts().size == other.facts().size else { return false }
    var offset: Int64 = 0
    while true {
      let part = try read(at: offset, count: 1 << 20)
      guard try part == other.read(at: offset, count: 1 << 20) else { return false }
      if part.isEmpty { return true }
      offset += Int64(part.count)
    }
  }
}
