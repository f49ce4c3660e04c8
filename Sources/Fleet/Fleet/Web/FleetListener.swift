import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Settings
import SystemdLink
import WebPages

/// Serves the fleet at an address or on a Unix socket.
package struct FleetListener: Sendable {
  /// The most connections; one more replaces another one (``ConnectionTable``).
  private static let connections = 128
  /// The longest time that a peer may take for a request, for an answer, or to do nothing. It is longer than the time that
  /// scrapers wait between two calls.
  private static let patience = TimeAmount.seconds(120)
  /// The longest time for a connection's first request.
  private static let firstPatience = TimeAmount.seconds(10)

  private let site: FleetSite
  private let places = ConnectionTable(Self.connections)

  /// Creates a listener that is not open yet.
  package init(_ site: FleetSite) { self.site = site }

  /// An error: the address cannot be listened at.
  package struct CannotListen: Error, CustomStringConvertible {
    /// The words.
    package let description: String
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - ready: called when it listens.
  ///   - notes: called with messages about a Unix socket that works, but not as it was configured.
  /// - Throws: ``CannotListen``.
  package func run(ready: @Sendable () -> Void, notes: @Sendable (String) -> Void) async throws {
    let logger = Logger(label: "fleet", factory: { _ in SwiftLogNoOpLogHandler() })
    let http = HTTP1Channel(
      responder: { [site] request, writer, channel in
        let response = await site.answer(request, of: channel).response(to: request.method)
        try await writer.write(response: response.head, body: response.body)
      },
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          places.handler(closesRefused: false), RequestDeadline(Self.patience, first: Self.firstPatience),
          OneRequestAtATime(),
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 64)))
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Without descriptors, it accepts again after a second instead of ending.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
    var socket: ListeningSocket?
    defer { try? socket?.removeFile() }
    let listener: NIOAsyncChannel<HTTP1Channel.Value, Never>
    do {
      switch site.settings.listen {
      case .address(let address):
        listener = try await bootstrap.bind(host: address.host, port: address.port) { channel in
          http.setup(channel: channel, logger: logger)
        }
      case .socket(let path):
        let made = try UnixSocket.listen(path: path)
        for note in made.notes { notes(note) }
        socket = made
        listener = try await bootstrap.bind(made.descriptor) { channel in http.setup(channel: channel, logger: logger) }
      }
    } catch {
      throw CannotListen(description: "cannot listen at \(site.settings.listen); another program may: \(error)")
    }
    ready()
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { accepted in
        for try await connection in accepted {
          let isOneTooMany = !places.admit(connection.channel)
          group.addTask {
            if isOneTooMany { return await OverloadAnswer.close(connection) }
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
