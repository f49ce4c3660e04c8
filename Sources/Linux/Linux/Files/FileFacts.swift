import Glibc
public import Jobs
import Seams

/// The facts of a file from stat(2).
public struct FileFacts: Hashable, Sendable {
  /// The kind of object that a name refers to.
  public enum Kind: Hashable, Sendable {
    case regular
    case directory
    /// A symbolic link, not followed.
    case symbolicLink
    /// A FIFO, a socket, a device, or another kind.
    case other
  }

  /// The kind.
  public let kind: Kind
  /// The device that the file is on.
  public let device: UInt64
  /// The inode on that device.
  public let inode: UInt64
  /// The number of names that the inode has.
  public let links: UInt64
  /// The owner's user id.
  public let owner: UInt32
  /// The group's id.
  public let group: UInt32
  /// Permission, set-id and sticky bits (07777).
  public let permissions: UInt32
  /// Length in bytes.
  public let size: Int64
  /// Last modification of the bytes (mtime), nanoseconds since the Unix epoch; the last nanosecond of 64 bits, in 2262, for later ones.
  public let modified: Int64
  /// Last change of bytes or inode (ctime), in the same form.
  public let changed: Int64

  /// The facts of the file that a path leads to, following symbolic links.
  public init(following path: String) throws(FileError) {
    var facts = stat()
    let result = unsafe SystemCall.fstatat.made(at: path) { unsafe stat(path, &facts) }
    guard result == 0 else { throw FileError("examine", path: path, errno: errno) }
    self.init(facts)
  }

  init(_ facts: stat) {
    let facts = facts.seen
    switch facts.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .directory
    case S_IFLNK: kind = .symbolicLink
    default: kind = .other
    }
    inode = UInt64(facts.st_ino)
    links = UInt64(facts.st_nlink)
    owner = facts.st_uid
    group = facts.st_gid
    permissions = facts.st_mode & 0o7777
    size = max(0, Int64(facts.st_size))
    let modified = facts.st_mtim.nanoseconds
    let changed = facts.st_ctim.nanoseconds
    #if DEBUG || SIMULATION
      let times = FileTimes.translated(
        FileTimes.Facts(device: UInt64(facts.st_dev), inode: inode, modified: modified, changed: changed))
      (device, self.modified, self.changed) = (times.device, times.modified, times.changed)
    #else
      (device, self.modified, self.changed) = (UInt64(facts.st_dev), modified, changed)
    #endif
  }

  /// Returns true if both belong to the same inode, even if its bytes have changed.
  public func isSameFile(as other: FileFacts) -> Bool { device == other.device && inode == other.inode }

  /// The permissions in octal, in the form for chmod, e.g. `0640`.
  public var mode: String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension FileIdentity {
  /// The facts by which a file is recognized.
  public init(_ facts: FileFacts) {
    self.init(
      device: facts.device, inode: facts.inode, size: facts.size, modified: facts.modified, changed: facts.changed)
  }
}
