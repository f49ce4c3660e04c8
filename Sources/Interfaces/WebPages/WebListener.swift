package import HummingbirdCore
import Logging
package import NIOCore
import NIOPosix

/// A server of pages and probes at an address. No peer can keep others out, by what it sends, does not send or does not read.
package struct WebListener: Sendable {
  private static let headerField = 16 * 1024
  /// The length of the kernel's queue of connections: callers behind a crowd wait instead of being refused.
  private static let backlog: Int32 = 4096

  /// The one thread that accepts and reads all connections (``ConnectionTable``).
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private let places: ConnectionTable
  private let patience: TimeAmount

  /// Creates a server that does not listen yet.
  package init(connections: Int, patience: TimeAmount = .seconds(120)) {
    (places, self.patience) = (ConnectionTable(connections), patience)
  }

  /// Serves until the task is cancelled.
  package func run(
    host: String, port: Int, ready: @Sendable (Int) -> Void = { _ in },
    responder: @escaping HTTPChannelHandler.Responder
  ) async throws {
    let logger = Logger(label: "web", factory: { _ in SwiftLogNoOpLogHandler() })
    let (places, patience) = (places, patience)
    let http = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [places.handler(patience: patience)],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Self.headerField, maxHeaderListSize: 2 * Self.headerField, maxHeaderFieldCount: 64)))
    let listener = try await ServerBootstrap(group: Self.eventLoops)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Without descriptors or memory, it accepts again after a second instead of ending or spinning.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // The bytes of one read are decoded at once, and a peer may send hundreds of requests in one piece.
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .bind(host: host, port: port) { channel in http.setup(channel: channel, logger: logger) }
    ready(listener.channel.localAddress?.port ?? 0)
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { accepted in
        for try await connection in accepted {
          group.addTask {
            await withTaskCancellationHandler {
              await http.handle(value: connection, logger: logger)
            } onCancel: {
              connection.channel.close(promise: nil)
            }
          }
        }
      }
    }
  }
}
