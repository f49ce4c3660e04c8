import CLinux
import Glibc
import Seams

extension Descriptor {
  /// Copies a file's bytes, from the file's position to its end, to the position of this descriptor; in the kernel if possible. Returns
  /// false if `goesOn`, which is called every 16 MiB, ended it earlier.
  public borrowing func copy(
    from file: OpenFile, path: String, while goesOn: () -> Bool = { true }
  ) throws(FileError) -> Bool {
    let part = 16 << 20
    while goesOn() {
      let copied = SystemCall.copyFileRange.made(on: number) { clinux_copy_range(file.descriptor.number, number, part) }
      if copied > 0 { continue }
      // For files of /proc and the like the kernel returns 0 although they have bytes; for some pairs of file systems it refuses.
      guard copied == 0 || [EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EBADF, EINTR].contains(errno) else {
        throw FileError("copy", path: file.path, target: path, errno: errno)
      }
      return try copyByHand(from: file, path: path, while: goesOn)
    }
    return false
  }

  private borrowing func copyByHand(
    from file: OpenFile, path: String, while goesOn: () -> Bool
  ) throws(FileError) -> Bool {
    // The position of the file is after the bytes that the kernel has copied.
    var position = Int64(
      SystemCall.lseek.made(on: file.descriptor.number) { lseek(file.descriptor.number, 0, SEEK_CUR) })
    while goesOn() {
      let bytes = try file.read(at: position, count: 1 << 20)
      if bytes.isEmpty { return true }
      try write(bytes, path: path)
      position += Int64(bytes.count)
    }
    return false
  }

  /// Sets the permissions, regardless of the umask.
  public borrowing func setPermissions(_ permissions: UInt32, path: String) throws(FileError) {
    guard SystemCall.fchmod.made(on: number, { fchmod(number, permissions) }) == 0 else {
      throw FileError("set mode of", path: path, errno: errno)
    }
  }

  /// Sets the owner and the group.
  public borrowing func setOwner(_ user: UInt32, group: UInt32, path: String) throws(FileError) {
    guard SystemCall.fchown.made(on: number, { fchown(number, user, group) }) == 0 else {
      throw FileError("set owner of", path: path, errno: errno)
    }
  }

  /// Sets the time of the last modification, in nanoseconds since the Unix epoch.
  public borrowing func setModified(_ nanoseconds: Int64, path: String) throws(FileError) {
    guard SystemCall.futimens.made(on: number, { clinux_set_modified(number, nanoseconds) }) == 0 else {
      throw FileError("set times of", path: path, errno: errno)
    }
  }
}
