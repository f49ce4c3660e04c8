import ControlAPI
import HTTPTypes
import HummingbirdCore
import Messages
import NIOCore
import WebPages

/// An answer of the fleet's server before it is sent.
struct SiteAnswer: Sendable {
  /// Writes the body of a stream, piece by piece.
  typealias Stream = @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void

  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: [UInt8] = []
  var stream: Stream?

  /// Creates an answer with a message as JSON.
  init(json: [UInt8], status: HTTPResponse.Status = .ok) { self.init(json, "application/json", status) }

  /// Creates an answer with a problem document.
  init(_ problem: ProblemDocument, _ texts: TextForm) {
    self.init(
      problem.json(texts: texts), ProblemDocument.mediaType,
      HTTPResponse.Status(code: problem.status, reasonPhrase: problem.title))
  }

  /// Creates an answer with a file of the operator's page.
  init(_ file: OperatorPage.File) {
    self.init(file.bytes, file.mediaType, .ok)
    headers[.contentSecurityPolicy] = OperatorPage.securityPolicy
    if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
  }

  /// Creates an answer with a text for programs.
  init(text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok) {
    self.init(Array(text.utf8), type, status)
  }

  /// Creates an answer with a stream of events.
  init(events: @escaping Stream) {
    self.init([], "text/event-stream", .ok)
    stream = events
  }

  private init(_ body: [UInt8], _ type: String, _ status: HTTPResponse.Status) {
    self.status = status
    self.body = body
    headers = [.contentType: type, .xContentTypeOptions: "nosniff", .cacheControl: "no-store"]
  }

  /// Returns the answer for Hummingbird to send.
  func response(to method: HTTPRequest.Method) -> Response {
    guard method != .head else { return Response(status: status, headers: headers, body: ResponseBody()) }
    let body = stream.map { ResponseBody($0) } ?? ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    return Response(status: status, headers: headers, body: body)
  }
}
