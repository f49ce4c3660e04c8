import CSystemd
import Glibc
import Linux
import Seams

/// Unix stream sockets bound to a path.
public enum UnixSocket {
  /// The maximum length of a path in bytes: `sun_path` has 108, the last of which is NUL (unix(7)).
  public static let pathLimit = 107

  /// The maximum number of connections that wait to be accepted.
  public static let longestQueue: Int32 = 4096

  /// Sets this maximum for a socket that listens already. If that is refused, nothing changes.
  public static func lengthenQueue(of descriptor: Int32) {
    _ = SystemCall.listen.made(on: descriptor) { Glibc.listen(descriptor, longestQueue) }
  }

  /// Binds a socket to `path` and listens. The file never has more permissions than `mode`, whatever the umask. A socket file without a
  /// listener, as a crash leaves it, is replaced. If the file cannot be given to the named group, `notes` says so.
  /// - Throws: ``SystemdError`` if the path is too long or in use, or is something other than a socket.
  public static func listen(
    path: String, mode: UInt32 = 0o660, group: String? = nil, backlog: Int32 = longestQueue
  ) throws(SystemdError) -> ListeningSocket {
    var address = try address(path)
    try removeStale(path, address)
    let descriptor = try open(path)
    do throws(SystemdError) {
      // Linux takes the mode of the new file from the socket's own inode and then applies the umask. So the file is created
      // without access for others, which is granted below.
      guard unsafe SystemCall.fchmod.made(at: path, { fchmod(descriptor, 0o600) }) == 0 else {
        throw SystemdError("fchmod", path, code: errno)
      }
      let bound = unsafe SystemCall.bind.made(at: path) {
        unsafe withUnsafeSocketAddress(&address) { unsafe bind(descriptor, $0, $1) }
      }
      guard bound == 0 else { throw bindError(path, errno) }
      var notes: [String] = []
      if let group, let note = give(path, to: group) { notes.append(note) }
      guard unsafe SystemCall.fchmod.made(at: path, { unsafe chmod(path, mode) }) == 0 else {
        throw SystemdError("chmod", path, code: errno)
      }
      guard unsafe SystemCall.listen.made(at: path, { Glibc.listen(descriptor, backlog) }) == 0 else {
        throw SystemdError("listen", path, code: errno)
      }
      return ListeningSocket(descriptor: descriptor, name: path, path: path, notes: notes, file: identity(path))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Device, inode and change time of a socket file; empty if there is none.
  static func identity(_ path: String) -> [Int64] {
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK else { return [] }
    let numbers = [Int64(bitPattern: UInt64(facts.st_dev)), Int64(bitPattern: UInt64(facts.st_ino))]
    return numbers + [Int64(facts.st_ctim.tv_sec), Int64(facts.st_ctim.tv_nsec)]
  }

  /// The path that a socket is bound to; nil for an abstract or unnamed socket.
  static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    guard result == 0, Int(length) > MemoryLayout<sa_family_t>.size else { return nil }
    let path = unsafe withUnsafeBytes(of: &address.sun_path) { bytes in
      unsafe Array(bytes.prefix(Int(length) - MemoryLayout<sa_family_t>.size))
    }
    // An abstract name begins with NUL and is not a path.
    guard path.first != 0 else { return nil }
    return String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func open(_ path: String) throws(SystemdError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe SystemCall.socket.made(at: path) { socket(AF_UNIX, kind, 0) }
    guard descriptor >= 0 else { throw SystemdError("socket", path, code: errno) }
    return descriptor
  }

  /// Removes a socket file that refuses connections. Throws if a process listens, or if it is not a socket.
  private static func removeStale(_ path: String, _ address: sockaddr_un) throws(SystemdError) {
    var facts = stat()
    let result = unsafe SystemCall.fstatat.made(at: path) { unsafe lstat(path, &facts) }
    guard result == 0 else {
      if errno == ENOENT { return }
      throw SystemdError("lstat", path, code: errno)
    }
    guard facts.st_mode & S_IFMT == S_IFSOCK else {
      throw SystemdError(
        "bind", path, code: EEXIST, words: "there is something else than a socket. Move it away or set another path")
    }
    let descriptor = try open(path)
    defer { close(descriptor) }
    var address = address
    let connected = unsafe withUnsafeSocketAddress(&address) { unsafe connect(descriptor, $0, $1) }
    let code = connected == 0 ? 0 : errno
    switch code {
    case ECONNREFUSED:
      let result = unsafe SystemCall.unlinkat.made(at: path) { unsafe unlink(path) }
      if result != 0 && errno != ENOENT { throw SystemdError("unlink", path, code: errno) }
    case ENOENT:
      return
    case 0:
      // These are the credentials of the process that called listen.
      let who = try peer(of: descriptor)
      throw SystemdError(
        "bind", path, code: EADDRINUSE,
        words: "process \(who.pid) of user \(UserName.of(who.uid)) already listens there. Stop it or set another path")
    case EAGAIN:
      throw SystemdError(
        "bind", path, code: EADDRINUSE, words: "another process already listens there. Stop it or set another path")
    default:
      throw SystemdError("connect", path, code: code)
    }
  }

  private static func bindError(_ path: String, _ code: Int32) -> SystemdError {
    switch code {
    case ENOENT, ENOTDIR:
      SystemdError(
        "bind", path, code: code,
        words: "its directory does not exist. RuntimeDirectory= in the unit creates it; else create it yourself")
    case EACCES, EPERM, EROFS:
      SystemdError(
        "bind", path, code: code,
        words: "\(ErrorNumber(code).reason). User \(UserName.of(geteuid())) must be able to write its directory")
    default: SystemdError("bind", path, code: code)
    }
  }

  /// Changes the group of the file. Returns a note if that was not possible.
  private static func give(_ path: String, to group: String) -> String? {
    guard let id = GroupName.id(of: group) else {
      return "group \(group) does not exist, so \(path) keeps the group of the daemon"
    }
    // In the packaged unit the group is already right, and a system-call filter may forbid chown.
    var facts = stat()
    if unsafe lstat(path, &facts) == 0 && facts.st_gid == id { return nil }
    guard unsafe lchown(path, uid_t.max, id) == 0 else {
      return "\(path) could not be given to group \(group): \(ErrorNumber(errno).reason)"
    }
    return nil
  }

  private static func address(_ path: String) throws(SystemdError) -> sockaddr_un {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, !bytes.contains(0) else {
      throw SystemdError("bind", path, code: EINVAL, words: "a socket path can't be empty or contain NUL")
    }
    guard bytes.count <= pathLimit else {
      throw SystemdError(
        "bind", path, code: ENAMETOOLONG,
        words:
          "the path has \(bytes.count) bytes; the kernel takes at most \(pathLimit) for a socket. Choose a shorter one"
      )
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return address
  }

  private static func withUnsafeSocketAddress(
    _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
