import Glibc

/// The process at the other end of a Unix socket, guaranteed by the kernel (SO_PEERCRED, unix(7)).
struct PeerCredentials: Hashable, Sendable {
  /// The process that connected; it may have ended since, and its number may have been given away again.
  var pid: Int32
  /// Its user id at that time.
  var uid: UInt32

  /// Asks the kernel about the peer of a connected Unix socket.
  static func of(_ descriptor: Int32) throws(SystemdError) -> PeerCredentials {
    // This is struct ucred, which Glibc's module lacks: pid, uid and gid, 32 bits each.
    var numbers: InlineArray<3, UInt32> = [0, 0, 0]
    var length = socklen_t(MemoryLayout<InlineArray<3, UInt32>>.size)
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &length)
    guard result == 0 else { throw SystemdError("SO_PEERCRED", "descriptor \(descriptor)", code: errno) }
    // A socket of another kind has no such peer: the kernel then returns uid -1.
    guard numbers[1] != UInt32.max else {
      throw SystemdError("SO_PEERCRED", "descriptor \(descriptor)", code: ENOTCONN)
    }
    return PeerCredentials(pid: Int32(bitPattern: numbers[0]), uid: numbers[1])
  }
}
