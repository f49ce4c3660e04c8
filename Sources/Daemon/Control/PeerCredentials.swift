import Glibc
import NIOCore

/// Who is at the other end of a Unix socket, as the kernel recorded it when the connection was made (unix(7), SO_PEERCRED).
///
/// Glibc's module does not have `struct ucred`; this has its layout: three 32-bit numbers.
struct PeerCredentials: Sendable {
  var pid: Int32
  var uid: UInt32
  var gid: UInt32

  /// A connection that is no socket, which cannot be while the server listens on one.
  struct NotASocket: Error {}

  /// Asks the kernel.
  static func of(_ channel: any Channel) async throws -> PeerCredentials {
    guard let socket = channel as? any SocketOptionProvider else { throw NotASocket() }
    // Sound because the type has exactly the twelve bytes that the kernel writes.
    return try await socket.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    ).get()
  }
}
