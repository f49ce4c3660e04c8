import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import NIOCore
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

  /// Scrapers have one connection each, which is silent for less than two minutes. There are many more, so that a probe has asked before a
  /// crowd can have taken its place.
  private static let limits = WebListener.Limits(connections: 256, patience: .seconds(120), headerField: 8 * 1024)
  /// The requests for metrics that are worked on at a time, so that there is always room for those who ask after the daemon's health.
  private static let scrapes = 16

  private let host: String
  private let port: Int
  private let metrics: @Sendable () async throws -> String
  private let health: Health
  private let names: @Sendable (String) async -> Set<String>
  private let report: @Sendable (String) -> Void
  private let listener = WebListener(Self.limits)
  private let scraping = ConnectionSlots(Self.scrapes)

  /// A listener that is not open yet.
  ///
  /// - Parameters:
  ///   - names: the names by which it may be asked, beside `localhost`, addresses and names without a dot; in lower case. It gets the
  ///     name that was asked for, so that nobody has to be asked about one that is known.
  ///   - report: called with the words of each error that is answered with 500.
  package init(
    host: String, port: Int, metrics: @escaping @Sendable () async throws -> String, health: Health,
    names: @escaping @Sendable (_ asked: String) async -> Set<String>, report: @escaping @Sendable (String) -> Void
  ) {
    self.host = host
    self.port = port
    self.metrics = metrics
    self.health = health
    self.names = names
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
      let reasons = path == "/healthz" ? health.faults() : health.obstacles()
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

  /// The reason why a request is not for this listener: it was sent by a page in a browser, or is for another name than this machine's.
  private func refusal(of request: Request) async -> String? {
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    guard request.headers[.origin] == nil, site == nil || site == "none" else {
      return "pages in browsers are not answered"
    }
    let authority = request.head.authority
    guard !HostNames(.all).allow(authority) else { return nil }
    if HostNames(.all).allow(authority, names: await names(authority.flatMap(HostNames.host) ?? "")) { return nil }
    let name = DisplayText.escape(String((authority ?? "").prefix(100)))
    return "\(name) is no name of this machine: ask by its address, or add the name to metrics_hosts in [daemon]"
  }

  private static func response(
    _ status: HTTPResponse.Status, _ text: String, _ type: String = "text/plain; charset=utf-8"
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
