import Glibc
import Linux
import Seams

/// A complete copy under a temporary name.
protocol Staged {
  /// Renames the copy to its final name. Throws EEXIST if that name is taken, and replaces nothing.
  func place(as final: [UInt8]) throws(FileError)
  /// Removes the copy, if it has no final name yet.
  func remove() throws(FileError)
}

/// A complete copy of a file. It is durable under a temporary name until it gets its final name.
struct StagedCopy: Staged {
  private let directory: Directory
  private let name: [UInt8]

  /// Copies a file with its modification time and its attributes, and makes the bytes durable. A copy that an earlier call left
  /// under the temporary name is removed. If this call fails, its own copy is removed too.
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

  /// Opens the copy, so that it can be compared with the original.
  func open() throws(FileError) -> OpenFile { try directory.open(name) }

  func place(as final: [UInt8]) throws(FileError) { try directory.rename(name, into: directory, as: final) }

  func remove() throws(FileError) { try directory.removeIfPresent(name) }

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

extension OpenFile {
  /// Returns true if another file holds the same bytes.
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
