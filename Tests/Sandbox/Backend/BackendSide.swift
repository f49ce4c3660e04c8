import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// The HTTP backend: takes any JSON by `POST /register` and honours `Idempotency-Key`, and grants uploads.
struct BackendSide: Sendable {
  static let path = "/register"
  private static let bodyLimit = 1 << 20

  /// The token that must come as `Authorization: Bearer …`; nil if none is needed.
  let token: String?
  let lines: RegistrationLines
  let grants: UploadGrants
  let now: @Sendable () -> Date

  func respond(to request: Request, _ kind: RequestKind) async throws -> Response {
    guard request.method == .post else { return Self.problem(405, "that is done by a POST") }
    if let token, request.headers["authorization"] != "Bearer " + token {
      var response = Self.problem(401, "the bearer token is missing or is another one")
      response.headers.add("www-authenticate", "Bearer")
      return response
    }
    var body: [UInt8] = []
    for try await chunk in request.body {
      body += chunk.readableBytesView
      if body.count > Self.bodyLimit { return Self.problem(413, "a registration is at most \(Self.bodyLimit) bytes") }
    }
    let value: JSONValue
    do {
      value = try JSONDecoder().decode(JSONValue.self, from: Data(body))
    } catch {
      return Self.problem(400, "the body is not JSON")
    }
    if kind == .grant { return try await grants.answer(value, at: request.head.authority ?? "", now()) }
    // Asked, and so answered, if nothing else has shown that the upload is there.
    var verified = ""
    if value["verify"] == .bool(true) { verified = ",\"verified\":\(try await grants.hasStored(value))" }
    let outcome = try await lines.register(
      key: request.headers["idempotency-key"], body: body, id: value[text: "id"], headers: Self.kept(request.headers),
      at: now())
    switch outcome {
    case .recorded(let number): return Self.created(number, verified)
    case .replayed(let number):
      var response = Self.created(number, verified)
      response.headers.add("idempotency-replayed", "true")
      return response
    case .mismatched(let number):
      return Self.problem(422, "this Idempotency-Key came with another body before, as number \(number)")
    }
  }

  func fault(_ status: Int, _ effect: Effect) -> Response {
    var response = Self.problem(
      status, effect.message ?? "the sandbox was asked to answer \(status)", title: effect.code)
    if let body = effect.body { response.body = ResponseBody(byteBuffer: ByteBuffer(string: body)) }
    if status == 204 || status == 304 { response = response.createHeadResponse() }
    response.add(effect)
    return response
  }

  /// The headers that a line keeps: all except those that carry a secret or belong to the connection.
  private static func kept(_ headers: HTTPFields) -> [String: String] {
    let left = ["authorization", "connection", "content-length", "accept", "accept-encoding", "cookie", "expect"]
    var kept: [String: String] = [:]
    for field in headers where !left.contains(field.name.canonicalName) {
      kept[field.name.canonicalName, default: ""] += (kept[field.name.canonicalName] == nil ? "" : ", ") + field.value
    }
    return kept
  }

  private static func created(_ number: Int, _ verified: String) -> Response {
    Response(
      status: .created,
      headers: HTTPFields(["content-type": "application/json", "location": "/registrations/\(number)"]),
      body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"ok\":true,\"number\":\(number)\(verified)}\n")))
  }

  /// A problem document (RFC 9457).
  static func problem(_ status: Int, _ detail: String, title: String? = nil) -> Response {
    // NIO knows the standard phrases. HTTPTypes does not, for a status made from its number.
    let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
    let problem = Problem(title: title ?? (phrase.isEmpty ? "HTTP \(status)" : phrase), status: status, detail: detail)
    return JSONAnswer.response(
      HTTPResponse.Status(code: status), problem, contentType: "application/problem+json")
  }
}

/// RFC 9457's members, as far as the sandbox uses them.
private struct Problem: Encodable {
  var type = "about:blank"
  var title: String
  var status: Int
  var detail: String
}
