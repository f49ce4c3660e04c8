import CLinux
import Glibc

/// Links, addresses and routes of this machine that come and go, IPv4 and IPv6, as the kernel tells of them (rtnetlink(7)).
///
/// It does not say what changed: one change of the network comes as a dozen messages, and none says that a server can
/// be reached again.
public final class NetworkChanges: Sendable {
  /// The descriptor to poll for readiness.
  public let descriptor: Descriptor

  /// Listens from here on. Throws EAFNOSUPPORT where sockets of the kernel are forbidden (`RestrictAddressFamilies=` without
  /// AF_NETLINK).
  public init() throws(FileError) {
    let number = clinux_network_socket()
    guard number != -1 else { throw Self.error("watch", errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Returns true if anything has changed since the last call.
  public func drain() throws(FileError) -> Bool {
    let any = clinux_take_network_messages(descriptor.number)
    guard any != -1 else { throw Self.error("read of", errno) }
    return any != 0
  }

  private static func error(_ operation: String, _ code: Int32) -> FileError {
    FileError(operation, path: "changes of the network", errno: code)
  }
}
