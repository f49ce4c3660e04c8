import CLinux
import Glibc

/// Changes of this machine's links, addresses and routes, IPv4 and IPv6, as the kernel reports them (rtnetlink(7)): a dozen messages for
/// one change, and none of them says that a server can be reached again.
public final class NetworkChanges: Sendable {
  /// The descriptor to poll for readiness.
  public let descriptor: Descriptor

  /// Begins to listen. Throws EAFNOSUPPORT if such sockets are forbidden (`RestrictAddressFamilies=` without AF_NETLINK).
  public init() throws(FileError) {
    let number = clinux_network_socket()
    guard number != -1 else { throw Self.error("watch", errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Reads all waiting messages; returns true if there were any.
  public func drain() throws(FileError) -> Bool {
    let any = clinux_take_network_messages(descriptor.number)
    guard any != -1 else { throw Self.error("read of", errno) }
    return any != 0
  }

  private static func error(_ operation: String, _ code: Int32) -> FileError {
    FileError(operation, path: "changes of the network", errno: code)
  }
}
