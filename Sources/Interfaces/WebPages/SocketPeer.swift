import Glibc
package import NIOCore

/// The process at the other end of a Unix socket, as the kernel recorded it when the connection was made (unix(7), SO_PEERCRED).
///
/// NIO does not expose descriptors, so the question goes through the channel. The Glibc module lacks `struct ucred`; this type
/// has its layout: three 32-bit numbers.
package struct SocketPeer: Sendable {
  package var pid: Int32
  package var uid: UInt32
  package var gid: UInt32

  package struct Unknown: Error {}

  package static func of(_ channel: any Channel) async throws -> SocketPeer {
    guard let socket = channel as? any SocketOptionProvider else { throw Unknown() }
    // Sound because the type has exactly the twelve bytes that the kernel writes.
    let peer: SocketPeer = try await socket.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    ).get()
    // A socket of another kind has no such peer: the kernel then answers uid -1.
    guard peer.uid != .max else { throw Unknown() }
    return peer
  }
}
