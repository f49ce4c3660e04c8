import Glibc
import Messages
import Seams

/// Reads a whole small regular file, such as a key or a configuration. Symbolic links are followed.
/// - Throws: `EISDIR` for a directory, `EINVAL` for anything else that is not a regular file, `EFBIG` for more than `limit` bytes.
public func readSmallFile(path: String, limit: Int) throws(FileError) -> [UInt8] {
  let file = try OpenFile(following: Array(path.utf8))
  var bytes: [UInt8] = []
  // Files of /proc have size 0, and a file may grow while it is read.
  while true {
    let wanted = min(limit + 1 - bytes.count, 1 << 16)
    let more = try file.read(at: Int64(bytes.count), count: wanted)
    bytes += more
    guard bytes.count <= limit else { throw FileError("read", path: path, errno: EFBIG) }
    if more.count < wanted { return bytes }
  }
}

/// Reads the facts of a file, following symbolic links, and whether any later change will certainly change them: two changes within one
/// tick of a file system's coarse clock have the same time.
public func settledFacts(path: String) throws(FileError) -> (FileFacts, areSettled: Bool) {
  var facts = stat()
  let result = unsafe SystemCall.fstatat.made(at: path) { unsafe stat(path, &facts) }
  guard result == 0 else { throw FileError("examine", path: path, errno: errno) }
  var now = timespec()
  // This is the clock that the kernel stamps files with. The call cannot fail with these arguments.
  unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
  // Two seconds is the coarsest resolution of the file systems in use (FAT, old NFS servers).
  return (FileFacts(facts), now.nanoseconds -| facts.seen.st_ctim.nanoseconds > 2_000_000_000)
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

/// The names in a small directory, in no particular order, without `.` and `..`, as bytes; `E2BIG` for more than `limit`.
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
