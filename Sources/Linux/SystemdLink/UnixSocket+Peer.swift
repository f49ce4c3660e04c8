import Glibc

extension UnixSocket {
  /// Asks the kernel about the process at the other end of a connected socket (SO_PEERCRED, unix(7)). It may have ended since, and its
  /// number may have been given away again.
  static func peer(of descriptor: Int32) throws(SystemdError) -> (pid: Int32, uid: UInt32) {
    // This is struct ucred, which Glibc's module lacks: pid, uid and gid, 32 bits each.
    var numbers: InlineArray<3, UInt32> = [0, 0, 0]
    var length = socklen_t(MemoryLayout<InlineArray<3, UInt32>>.size)
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &length)
    guard result == 0 else { throw SystemdError("SO_PEERCRED", "descriptor \(descriptor)", code: errno) }
    // A socket of another kind has no such peer: the kernel then returns uid -1.
    guard numbers[1] != UInt32.max else {
      throw SystemdError("SO_PEERCRED", "descriptor \(descriptor)", code: ENOTCONN)
    }
    return (Int32(bitPattern: numbers[0]), numbers[1])
  }
}
