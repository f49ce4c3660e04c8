import FoundationEssentials
import NIOCore

/// The context of a request: its connection, which a fault may cut.
struct SandboxContext: Sendable {
  let id = UUID().uuidString.lowercased()
  let channel: any Channel

  /// Ends the connection now, even if something is still to be read or written.
  func cut() async {
    do {
      try await channel.close(mode: .all)
    } catch {
      // Ignored: the connection was closed already.
    }
  }
}
