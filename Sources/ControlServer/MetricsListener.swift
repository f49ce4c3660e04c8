import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import WebPages

/// The optional listener for `/metrics`, `/healthz` and `/readyz`. It shows what the control socket shows, and takes nothing.
package struct MetricsListener: Sendable {
  /// The answers to those who run containers and ask whether to start them again, or whether to count on them.
  package struct Health: Sendable {
    /// The reasons to start the daemon again; empty while it gets on.
    let faults: @Sendable () -> [String]
    /// The reasons why it cannot do its work now; empty while it can.
    let obstacles: @Sendable () -> [String]

    package init(faults: @escaping @Sendable () -> [String], obstacles: @escaping @Sendable () -> [String]) {
      self.faults = faults
      self.obstacles = obstacles
    }
  }

  /// The most connections; scrapers have one each. For one more, the one that has been idle for the longest time is closed.
  private static let connections = 32
  /// The requests for metrics that are worked on at a time, so that there is always room for those who ask after the daemon's health.
  private static let scrapes = 16
  /// The longest silence of a connection. It is longer than the time that scrapers wait between two calls.
  private static let patience = TimeAmount.seconds(120)

  /// The media type of the metrics: Prometheus' text format, version 0.0.4.
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private let host: String
  private let port: Int
  private let metrics: @Sendable () async throws -> String
  private let health: Health
  private let report: @Sendable (String) -> Void
  private let places = ConnectionPlaces(Self.connections)
  private let scraping = ConnectionSlots(Self.scrapes)

  /// A listener that is not open yet.
  ///
  /// - Parameters:
  ///   - report: called with the words of each error that is answered with 500.
  package init(
    host: String, port: Int, metrics: @escaping @Sendable () async throws -> String, health: Health,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.host = host
    self.port = port
    self.metrics = metrics
    self.health = health
    self.report = report
  }

  /// The address cannot be listened on.
  package struct CannotListen: Error {
    /// The system's error, in words.
    package let words: String
  }

  /// Serves until the task is cancelled.
  ///
  /// - Throws: ``CannotListen`` where the address cannot be listened on.
  package func run() async throws {
    let logger = Logger(label: "metrics", factory: { _ in SwiftLogNoOpLogHandler() })
    let server = try HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [places.handler(closesRefused: true), RequestDeadline(Self.patience)],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 64))
    ).buildServer(
      configuration: ServerConfiguration(address: .hostname(host, port: port)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, _ in
        let response = await answer(request)
        try await writer.write(response: response.head, body: request.method == .head ? ResponseBody() : response.body)
      })
    do {
      try await server.run()
    } catch  where !Task.isCancelled {
      throw CannotListen(words: "\(error)")
    }
    try Task.checkCancellation()
    throw ControlServer.ListenerLost()
  }

  private func answer(_ request: Request) async -> Response {
    let path = request.uri.path
    guard ["/metrics", "/healthz", "/readyz"].contains(path) else {
      return Self.response(.notFound, "only /metrics, /healthz and /readyz are here\n")
    }
    guard request.method == .get || request.method == .head else {
      return Self.response(.methodNotAllowed, "only GET\n")
    }
    if path != "/metrics" {
      let reasons = path == "/healthz" ? health.faults() : health.obstacles()
      guard !reasons.isEmpty else { return Self.response(.ok, "ok\n") }
      return Self.response(.serviceUnavailable, reasons.map { $0 + "\n" }.joined())
    }
    guard scraping.acquire() else { return Self.response(.serviceUnavailable, "too many ask for metrics already\n") }
    defer { scraping.giveBack() }
    do {
      return Self.response(.ok, try await metrics(), Self.mediaType)
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
