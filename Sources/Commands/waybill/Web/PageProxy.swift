import ControlAPI
import HTTPTransfer
import HTTPTypes
import HummingbirdCore
import Messages
import NIOCore
import WebPages

/// Serves the operator's page on the loopback. It passes the page and its calls through to the control socket: with the rights
/// of the user who runs it, and for everybody who has the token.
struct PageProxy: Sendable {
  /// The maximum size of a call's body, as at the control socket.
  private static let bodyLimit = 64 * 1024
  /// The maximum time that the daemon may be silent: well over two heartbeats of its stream of events.
  private static let longestSilence = Duration.seconds(40)
  /// The most connections. The daemon bounds the callers that wait for its events, so some are always idle and can be replaced.
  private static let mostConnections = 256
  private static let passed: [HTTPField.Name] = [
    .contentType, .cacheControl, .contentSecurityPolicy, .xContentTypeOptions, .allow,
  ]

  let socket: String
  let transport: Transport
  let token = PageToken()
  private let listener = WebListener(connections: Self.mostConnections)

  init(socket: String, transport: Transport) {
    self.socket = socket
    self.transport = transport
  }

  /// Serves until the task is cancelled; `ready` gets the port. Throws the system's error if the port cannot be used.
  func run(port: Int, ready: @escaping @Sendable (Int) -> Void) async throws {
    try await listener.run(host: "127.0.0.1", port: port, ready: ready) { request, writer, channel in
      let response = await answer(request, port: channel.localAddress?.port ?? 0)
      try await writer.write(response: response.head, body: request.method == .head ? ResponseBody() : response.body)
    }
  }

  private func answer(_ request: Request, port: Int) async -> Response {
    do throws(PageGuard.Refusal) {
      try PageGuard(token: token).check(request.head, port: port)
    } catch {
      return Self.problem(error.answer.status, error.answer.code, error.answer.words)
    }
    do {
      return try await pass(request)
    } catch BodyFault.tooLarge {
      return Self.problem(.contentTooLarge, .bodyTooLarge, .pageBodyTooLarge(limit: Self.bodyLimit))
    } catch BodyFault.unreadable {
      return Self.problem(.badRequest, .invalidRequest, .pageBodyUnreadable)
    } catch {
      return Self.problem(.badGateway, .noDaemon, .pageWithoutDaemon(socket: socket))
    }
  }

  private func pass(_ request: Request) async throws -> Response {
    var call = HTTPTransfer.HTTPRequest(
      RequestShape(
        method: request.method.rawValue, stallTimeout: Self.longestSilence, unixSocket: socket,
        mayBeRepeated: request.method != .post), url: "http://localhost" + (request.head.path ?? "/"))
    for name in [HTTPField.Name.accept, .acceptLanguage, .contentType]
      + [HTTPField.Name("Last-Event-ID")].compactMap(\.self)
    {
      if let value = request.headers[name] { call.headers.append(HTTPHeader(name.rawName, value)) }
    }
    if request.method == .post { call.body = .bytes(try await request.bytes(atMost: Self.bodyLimit)) }
    let answer = try await transport.stream(call)
    var headers = HTTPFields()
    for name in Self.passed {
      if let value = answer.headers[first: name.rawName] { headers[name] = value }
    }
    if let policy = HTTPField.Name("Referrer-Policy") { headers[policy] = "no-referrer" }
    let body = ResponseBody { writer in
      while let chunk = try await answer.next() { try await writer.write(ByteBuffer(bytes: chunk)) }
      try await writer.finish(nil)
    }
    return Response(status: HTTPResponse.Status(code: answer.status), headers: headers, body: body)
  }

  private static func problem(
    _ status: HTTPTypes.HTTPResponse.Status, _ code: ProblemCode, _ words: Message
  ) -> Response {
    let document = ProblemDocument(code, status: status.code, saying: words)
    return Response(
      status: status, headers: [.contentType: ProblemDocument.mediaType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.json())))
  }
}
