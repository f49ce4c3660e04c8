import CLinux
import Glibc
import Messages
import Seams

/// Reads a whole small regular file, such as a key or a configuration. Symbolic links are followed.
///
/// It blocks as long as the file system does. A FIFO or a device is refused; it does not wait for these.
/// - Parameter limit: the maximum number of bytes of the file.
/// - Throws: ``FileError`` with the kernel's errno; `EISDIR` for a directory, `EINVAL` for anything else that is not a regular
///   file, `EFBIG` for a file larger than `limit`.
public func readSmallFile(path: String, limit: Int) throws(FileError) -> [UInt8] {
  // With O_NONBLOCK the open of a FIFO without a writer returns. For a regular file it has no effect.
  let descriptor = restarted {
    unsafe SystemCall.openat.made(at: path) { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
  }
  guard descriptor >= 0 else { throw FileError("open", path: path, errno: errno) }
  defer { close(descriptor) }
  var facts = stat()
  let result = SystemCall.fstat.made(on: descriptor) { unsafe fstat(descriptor, &facts) }
  guard result == 0 else { throw FileError("stat", path: path, errno: errno) }
  facts = facts.seen
  switch facts.st_mode & S_IFMT {
  case S_IFREG: break
  case S_IFDIR: throw FileError("read", path: path, errno: EISDIR)
  default: throw FileError("read", path: path, errno: EINVAL)
  }
  // The size is only a hint: files of /proc have size 0, and a file may grow while it is read.
  var bytes = [UInt8](repeating: 0, count: min(limit + 1, max(Int(facts.st_size) +| 1, 4096)))
  var filled = 0
  while true {
    if filled == bytes.count {
      guard filled <= limit else { throw FileError("read", path: path, errno: EFBIG) }
      bytes.append(contentsOf: repeatElement(0, count: min(limit + 1 - filled, filled)))
    }
    let got = unsafe bytes.withUnsafeMutableBytes { buffer in
      SystemCall.read.made(on: descriptor) {
        unsafe read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
    }
    if got < 0 && errno == EINTR { continue }
    guard got >= 0 else { throw FileError("read", path: path, errno: errno) }
    if got == 0 { break }
    filled += got
  }
  bytes.removeSubrange(filled...)
  return bytes
}

/// Facts that distinguish two states of a file without reading its bytes.
public struct FileStamp: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let modified: Int64
  let changed: Int64
  /// True if any later change will certainly change the stamp.
  ///
  /// File systems use a coarse clock for the times of changes. Two changes within one tick have the same time. So if a file has
  /// just changed, another change may go unnoticed.
  public let isSettled: Bool

  /// Two stamps are equal if the file has not changed between them, regardless of ``isSettled``.
  public static func == (one: FileStamp, other: FileStamp) -> Bool {
    one.device == other.device && one.inode == other.inode && one.size == other.size
      && one.modified == other.modified && one.changed == other.changed
  }

  /// Hashes some of the members that are compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(device)
    hasher.combine(inode)
    hasher.combine(changed)
  }
}

/// Reads the stamp of a file, following symbolic links.
/// - Throws: ``FileError`` with the kernel's errno.
public func fileStamp(path: String) throws(FileError) -> FileStamp {
  var facts = stat()
  let result = unsafe SystemCall.fstatat.made(at: path) { unsafe stat(path, &facts) }
  guard result == 0 else { throw FileError("stat", path: path, errno: errno) }
  facts = facts.seen
  var now = timespec()
  // This is the clock that the kernel stamps files with. The call cannot fail with these arguments.
  unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
  let changed = facts.st_ctim.nanoseconds
  // Two seconds is the coarsest resolution of the file systems in use (FAT, old NFS servers).
  return FileStamp(
    device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino), size: Int64(facts.st_size),
    modified: facts.st_mtim.nanoseconds, changed: changed, isSettled: now.nanoseconds -| changed > 2_000_000_000)
}

/// The permission bits of a file, following symbolic links.
/// - Throws: ``FileError`` with the kernel's errno.
public func permissions(path: String) throws(FileError) -> UInt32 {
  var facts = stat()
  let result = unsafe SystemCall.fstatat.made(at: path) { unsafe stat(path, &facts) }
  guard result == 0 else { throw FileError("stat", path: path, errno: errno) }
  facts = facts.seen
  return facts.st_mode & 0o7777
}

extension stat {
  /// The facts that the kernel gave; tests may give them extreme values.
  var seen: stat {
    #if DEBUG || SIMULATION
      var facts = self
      ExtremeNumbers.alter(&facts)
      return facts
    #else
      return self
    #endif
  }
}

extension timespec {
  /// Nanoseconds since the Unix epoch, or since the clock's beginning.
  var nanoseconds: Int64 { Int64(tv_sec) *| 1_000_000_000 +| Int64(tv_nsec) }
}

/// The names in a small directory, such as a directory of configuration files, in no particular order, without `.` and `..`.
/// Names are bytes, which need not be UTF-8.
/// - Parameter limit: the maximum number of entries.
/// - Throws: ``FileError`` with the kernel's errno; `E2BIG` for more entries than `limit`.
public func smallDirectoryNames(path: String, limit: Int) throws(FileError) -> [[UInt8]] {
  let descriptor = try Descriptor(
    at: AT_FDCWD, Array(path.utf8), flags: O_RDONLY | O_DIRECTORY, as: "open", shown: PathText(path, []))
  let listing = try Directory(path: path, descriptor: descriptor).listing()
  var names: [[UInt8]] = []
  while let entry = try listing.next() {
    guard names.count < limit else { throw FileError("list", path: path, errno: E2BIG) }
    names.append(entry.name)
  }
  return names
}
