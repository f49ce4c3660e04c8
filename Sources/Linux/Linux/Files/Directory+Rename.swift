import CLinux
import Glibc
import Seams

extension Directory {
  /// Moves a name into a directory of the same file system. Throws EEXIST if the new name is taken.
  ///
  /// On a file system that cannot rename without replacing (NFS, many FUSE file systems), a file gets a second name and then
  /// loses the first one. A crash between the two leaves both names, and a repeated call completes it. A directory is renamed
  /// over an empty one that is created for this; a crash may leave the empty one.
  public func rename(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    do throws(FileError) {
      return try renameNatively(name, into: directory, as: newName)
    } catch {
      guard Self.isUnsupported(error) else { throw error }
    }
    do throws(FileError) {
      try link(name, into: directory, as: newName)
    } catch {
      switch error.errno {
      case EEXIST where try directory.facts(of: newName).isSameFile(as: try facts(of: name)): break
      case EPERM, ENOSYS, ENOTSUP: return try replaceOwn(name, into: directory, as: newName)
      default: throw error
      }
    }
    try remove(name)
  }

  /// The same, into a directory where nobody else creates names, so that a check that the name is free can come first.
  public func rename(_ name: [UInt8], intoOurs directory: Directory, as newName: [UInt8]) throws(FileError) {
    do throws(FileError) {
      return try renameNatively(name, into: directory, as: newName)
    } catch {
      guard Self.isUnsupported(error) else { throw error }
    }
    guard try ifPresent({ () throws(FileError) in try directory.facts(of: newName) }) == nil else {
      throw FileError("rename", shown(name), target: directory.shown(newName), errno: EEXIST)
    }
    try renameReplacing(name, into: directory, as: newName)
  }

  /// Renames a file within this directory, and replaces what has the new name.
  public func rename(_ name: [UInt8], replacing newName: [UInt8]) throws(FileError) {
    try renameReplacing(name, into: self, as: newName)
  }

  /// For something that cannot be linked: an empty file or directory is created under the new name, and the rename replaces that.
  private func replaceOwn(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    let isDirectory = try facts(of: name).kind == .directory
    if isDirectory {
      try directory.makeDirectory(newName, permissions: 0o700)
    } else {
      _ = try directory.create(newName, permissions: 0o600)
    }
    do throws(FileError) {
      try renameReplacing(name, into: directory, as: newName)
    } catch {
      if isDirectory { try directory.removeDirectory(newName) } else { try directory.remove(newName) }
      throw error
    }
  }

  private static func isUnsupported(_ error: FileError) -> Bool { [EINVAL, ENOSYS, ENOTSUP].contains(error.errno) }

  private func renameNatively(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    unsafe try give(name, newName, in: directory, .renameat2, "rename") {
      unsafe clinux_rename_noreplace(descriptor.number, $0, directory.descriptor.number, $1)
    }
  }

  private func renameReplacing(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    unsafe try give(name, newName, in: directory, .renameat, "rename") {
      unsafe renameat(descriptor.number, $0, directory.descriptor.number, $1)
    }
  }
}
