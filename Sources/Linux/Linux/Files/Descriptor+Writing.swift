import CLinux
import Glibc
public import Seams

extension Descriptor {
  /// Writes all bytes at the current position.
  public borrowing func write(_ bytes: [UInt8], path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        SystemCall.write.made(on: number) {
          unsafe Glibc.write(number, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
        }
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw FileError("write", path: path, errno: errno)
      }
    }
  }

  /// Gives the file this size and the space for it, by writing where the file system cannot do it otherwise.
  public borrowing func allocate(_ size: Int64, path: String) throws(FileError) {
    let result = SystemCall.fallocate.made(on: number) {
      let error = posix_fallocate(number, 0, off_t(size))
      errno = error
      return error == 0 ? 0 : -1
    }
    guard result == 0 else { throw FileError("allocate", path: path, errno: errno) }
  }

  /// Sets an extended attribute. Throws ENOTSUP if the file system has none.
  public borrowing func setAttribute(_ name: String, _ value: [UInt8], path: String) throws(FileError) {
    let result = SystemCall.setxattr.made(on: number) {
      unsafe clinux_set_attribute(number, name, value, value.count)
    }
    guard result == 0 else {
      throw FileError("set attribute \(name) of", path: path, errno: errno)
    }
  }

  /// Returns once the bytes and the size are on disk.
  public borrowing func sync(_ sync: Sync, path: String) throws(FileError) {
    guard sync.isDone else { return }
    guard SystemCall.fsync.made(on: number, { fsync(number) }) == 0 else {
      throw FileError("sync", path: path, errno: errno)
    }
  }
}
