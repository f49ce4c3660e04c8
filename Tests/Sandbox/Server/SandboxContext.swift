import Hummingbird
import Logging
import NIOCore

/// The context of a request: its connection, which a fault may cut.
struct SandboxContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection that the request came on.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Ends the connection now, even if something is still to be read or written.
  func cut() async {
    do {
      try await channel.close(mode: .all)
    } catch {
      logger.debug("ignored: the connection was closed already", metadata: ["error": "\(error)"])
    }
  }
}
