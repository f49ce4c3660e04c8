import CLinux
import Glibc

extension Directory {
  /// Moves a name into a directory of the same file system. Throws EEXIST rather than replace what stands there.
  ///
  /// On a file system that cannot rename without replacing (NFS, many of FUSE), a file gets a second name and then
  /// loses the first. A crash between the two leaves both, and calling this again finishes it. A directory is renamed over an empty
  /// one of our own, which such a crash leaves behind.
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

  /// The same, into a directory where nobody else makes names. File systems that cannot rename without replacing are asked
  /// before whether the name is free.
  public func rename(_ name: [UInt8], intoOurs directory: Directory, as newName: [UInt8]) throws(FileError) {
    do throws(FileError) {
      return try renameNatively(name, into: directory, as: newName)
    } catch {
      guard Self.isUnsupported(error) else { throw error }
    }
    do throws(FileError) {
      _ = try directory.facts(of: newName)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return try renameReplacing(name, into: directory, as: newName)
    }
    throw FileError("rename", shown(name), target: directory.shown(newName), errno: EEXIST)
  }

  /// Gives a file in it another name, whole and at once: throws EEXIST rather than replace what stands there, and EINVAL, EPERM
  /// or ENOTSUP where the file system can do it neither by a rename nor by a link.
  ///
  /// Of two hosts that do it at the same time one succeeds. ``rename(_:into:as:)`` does not promise that everywhere.
  public func publish(_ name: [UInt8], as newName: [UInt8]) throws(FileError) {
    do throws(FileError) {
      return try renameNatively(name, into: self, as: newName)
    } catch {
      guard Self.isUnsupported(error) else { throw error }
    }
    try link(name, into: self, as: newName)
    try remove(name)
  }

  /// Gives a file in it another name, and replaces what stands there.
  public func rename(_ name: [UInt8], replacing newName: [UInt8]) throws(FileError) {
    try renameReplacing(name, into: self, as: newName)
  }

  /// For what cannot be linked: a directory, or anything on a file system without links. Something of its kind that is empty and our
  /// own takes the name, and is what the rename replaces.
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
    let result = unsafe withName(name) { from in
      unsafe withName(newName) { to in
        unsafe SystemCall.renameat2.made(on: directory.descriptor.number, at: to) {
          unsafe clinux_rename_noreplace(descriptor.number, from, directory.descriptor.number, to)
        }
      }
    }
    guard result == 0 else {
      throw FileError("rename", shown(name), target: directory.shown(newName), errno: errno)
    }
  }

  private func renameReplacing(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    let result = unsafe withName(name) { from in
      unsafe withName(newName) { to in
        unsafe SystemCall.renameat.made(on: directory.descriptor.number, at: to) {
          unsafe renameat(descriptor.number, from, directory.descriptor.number, to)
        }
      }
    }
    guard result == 0 else {
      throw FileError("rename", shown(name), target: directory.shown(newName), errno: errno)
    }
  }
}
