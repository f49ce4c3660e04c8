package import HummingbirdCore
import Logging
package import NIOCore
import NIOPosix

/// A server of pages and probes at an address. Nobody who connects keeps others out, by what they send, by what they do not send, or by
/// what they do not read.
package struct WebListener: Sendable {
  /// The bounds of what peers may take.
  package struct Limits: Sendable {
    /// Connections at once; for one more, one makes way (``ConnectionPlaces``).
    package var connections: Int
    /// The longest time for a request after the first, for an answer to be taken, or to do nothing.
    package var patience: TimeAmount
    /// The most bytes of one header field, and of all together.
    package var headerField: Int

    package init(connections: Int, patience: TimeAmount, headerField: Int) {
      self.connections = connections
      self.patience = patience
      self.headerField = headerField
    }
  }

  /// The longest time for a connection's first request.
  private static let firstPatience = TimeAmount.seconds(10)
  /// The connections that the kernel keeps until they are accepted: who is behind a crowd waits, and is not turned away.
  private static let backlog: Int32 = 4096

  /// A thread of its own: what a crowd sends holds up no newcomer.
  private static let accepting = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private let limits: Limits
  private let places: ConnectionPlaces

  package init(_ limits: Limits) {
    self.limits = limits
    places = ConnectionPlaces(limits.connections)
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter ready: gets the port.
  /// - Throws: the system's error if the address cannot be listened on.
  package func run(
    host: String, port: Int, ready: @Sendable (Int) -> Void = { _ in },
    responder: @escaping HTTPChannelHandler.Responder
  ) async throws {
    let logger = Logger(label: "web", factory: { _ in SwiftLogNoOpLogHandler() })
    let (limits, places) = (limits, places)
    let http = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          places.handler(closesRefused: true), RequestDeadline(limits.patience, first: Self.firstPatience),
          OneRequestAtATime(),
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.headerField, maxHeaderListSize: 2 * limits.headerField, maxHeaderFieldCount: 64)))
    let listener = try await ServerBootstrap(group: Self.accepting, childGroup: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.maxMessagesPerRead, value: 16)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Out of descriptors or memory: goes on after a second instead of ending or spinning.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
          try channel.pipeline.syncOperations.addHandler(AcceptPace(places))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // Everything that is read at once is decoded at once, and a peer may send hundreds of requests in one piece.
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
