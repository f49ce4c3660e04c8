import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import NIOCore
import WebPages

/// The optional listener for `/metrics`, `/healthz` and `/readyz`. It serves what the control socket serves, and changes nothing.
package struct MetricsListener: Sendable {
  /// The most connections: far above the number of scrapers, so that a probe gets its answer before a crowd of connections can
  /// displace it.
  private static let mostConnections = 256
  /// The number of requests for metrics that are served at once. Others are refused, so that probes are always served.
  private static let scrapes = 16

  private let host: String
  private let port: Int
  private let metrics: @Sendable () async throws -> String
  private let faults: @Sendable () -> [String]
  private let obstacles: @Sendable () -> [String]
  private let names: @Sendable (String) async -> Set<String>
  private let report: @Sendable (String) -> Void
  private let listener: WebListener
  private let scraping = ConnectionSlots(Self.scrapes)

  /// Creates a listener that is not open yet.
  /// - Parameters:
  ///   - faults: for `/healthz`.
  ///   - obstacles: for `/readyz`.
  ///   - names: returns the names, in lower case, for which requests are answered, besides `localhost`, addresses and names
  ///     without a dot. Its argument is the name in the request, so that no name server is asked about a name that is known.
  ///   - report: called with the text of each error that is answered with 500.
  package init(
    host: String, port: Int, metrics: @escaping @Sendable () async throws -> String,
    faults: @escaping @Sendable () -> [String], obstacles: @escaping @Sendable () -> [String],
    names: @escaping @Sendable (_ asked: String) async -> Set<String>, connections: Int = .max,
    report: @escaping @Sendable (String) -> Void
  ) {
    listener = WebListener(connections: min(Self.mostConnections, connections))
    self.host = host
    self.port = port
    self.metrics = metrics
    self.faults = faults
    self.obstacles = obstacles
    self.names = names
    self.report = report
  }

  package struct CannotListen: Error {
    package let words: String
  }

  /// Serves until the task is cancelled.
  /// - Throws: ``CannotListen`` if the address cannot be listened on, ``ControlServer/ListenerLost`` if the listener ends by
  ///   itself.
  package func run() async throws {
    do {
      try await listener.run(host: host, port: port) { request, writer, _ in
        let response = await answer(request)
        try await writer.write(response: response.head, body: request.method == .head ? ResponseBody() : response.body)
      }
    } catch  where !Task.isCancelled {
      throw CannotListen(words: "\(error)")
    }
    try Task.checkCancellation()
    throw ControlServer.ListenerLost()
  }

  private func answer(_ request: Request) async -> Response {
    if let words = await refusal(of: request) { return Self.response(.forbidden, words + "\n") }
    let path = request.uri.path
    guard ["/metrics", "/healthz", "/readyz"].contains(path) else {
      return Self.response(.notFound, "only /metrics, /healthz and /readyz are here\n")
    }
    guard request.method == .get || request.method == .head else {
      return Self.response(.methodNotAllowed, "only GET\n")
    }
    if path != "/metrics" {
      let reasons = path == "/healthz" ? faults() : obstacles()
      guard !reasons.isEmpty else { return Self.response(.ok, "ok\n") }
      return Self.response(.serviceUnavailable, reasons.map { $0 + "\n" }.joined())
    }
    guard scraping.acquire() else { return Self.response(.serviceUnavailable, "too many ask for metrics already\n") }
    defer { scraping.giveBack() }
    do {
      return Self.response(.ok, try await metrics(), Exposition.mediaType)
    } catch {
      report("GET /metrics failed: \(error)")
      return Self.response(.internalServerError, "the daemon's journal says why\n")
    }
  }

  /// Returns the reason to refuse a request: a page in a browser sent it, or it names another host than this machine; nil if it
  /// is answered.
  private func refusal(of request: Request) async -> String? {
    let site = request.head.fetchSite
    guard request.headers[.origin] == nil, site == nil || site == "none" else {
      return "pages in browsers are not answered"
    }
    let authority = request.head.authority
    guard !HostNames(.all).allow(authority) else { return nil }
    if HostNames(.all).allow(authority, names: await names(authority.flatMap(HostNames.host) ?? "")) { return nil }
    let name = DisplayText.escape(String((authority ?? "").prefix(100)))
    return "\(name) is no name of this machine: ask by its address, or by its own name"
  }

  private static func response(
    _ status: HTTPResponse.Status, _ text: String, _ type: String = "text/plain; charset=utf-8"
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
