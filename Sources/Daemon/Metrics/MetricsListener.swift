import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Settings

/// The optional listener for `/metrics` alone. It shows what the control socket shows there, and takes nothing.
struct MetricsListener: Sendable {
  /// How many connections it has at most; scrapers have one each.
  private static let connections = 32
  /// How long a connection may be silent, which is longer than scrapers wait between two calls.
  private static let patience = TimeAmount.seconds(120)

  let address: ListenAddress
  let metrics: @Sendable () async throws -> String
  /// Told of what is answered with 500.
  let report: @Sendable (String) -> Void

  /// Serves until the task is cancelled.
  ///
  /// - Throws: ``DaemonError`` where the address cannot be listened on.
  func run() async throws {
    let logger = Logger(label: "metrics", factory: { _ in SwiftLogNoOpLogHandler() })
    let server = try HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        idleTimeout: Self.patience,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 64))
    ).buildServer(
      configuration: ServerConfiguration(
        address: .hostname(address.host, port: address.port),
        availableConnectionsDelegate: MaximumAvailableConnections(Self.connections)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, _ in
        let response = await answer(request)
        try await writer.write(response: response.head, body: request.method == .head ? ResponseBody() : response.body)
      })
    do {
      try await server.run()
    } catch  where !Task.isCancelled {
      throw DaemonError(.configuration, "daemon.metrics: \(address) cannot be listened on: \(error)")
    }
    try Task.checkCancellation()
    throw ControlServer.ListenerLost()
  }

  private func answer(_ request: Request) async -> Response {
    guard request.uri.path == "/metrics" else { return Self.response(.notFound, "only /metrics is here\n") }
    guard request.method == .get || request.method == .head else {
      return Self.response(.methodNotAllowed, "only GET\n")
    }
    do {
      return Self.response(.ok, try await metrics(), Exposition.mediaType)
    } catch {
      report("GET /metrics failed: \(error)")
      return Self.response(.internalServerError, "the daemon's journal says why\n")
    }
  }

  private static func response(
    _ status: HTTPResponse.Status, _ text: String, _ type: String = "text/plain; charset=utf-8"
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
