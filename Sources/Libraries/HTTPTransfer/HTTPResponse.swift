/// A complete answer, whose body is limited by ``HTTPRequest/bodyLimit``.
public struct HTTPResponse: Sendable {
  /// The status of the final answer, e.g. 201; any three digits are accepted.
  public var status: Int
  /// The header fields, without trailers.
  public var headers: HTTPHeaders
  /// The first bytes of the body, decoded.
  public var body: [UInt8]
  /// True if the body is incomplete: it was longer than the limit, an answer of 300 or above was interrupted, or its encoding is unknown.
  public var bodyTruncated: Bool
  /// The number of bytes of the request's body that were sent before the answer ended. A server may answer before it has them
  /// all.
  public var bytesSent: Int64
  /// True if libcurl has sent the request before (see ``Transport``): it may have taken effect, whatever this answer says.
  public var wasRepeated: Bool

  /// True if the answer has a body, even an unreadable one.
  package var hasBody: Bool { !body.isEmpty || bodyTruncated }

  /// Creates an answer.
  public init(
    status: Int, headers: HTTPHeaders = HTTPHeaders([]), body: [UInt8] = [], bodyTruncated: Bool = false,
    bytesSent: Int64 = 0, wasRepeated: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.bodyTruncated = bodyTruncated
    self.bytesSent = bytesSent
    self.wasRepeated = wasRepeated
  }
}

extension HTTPResponse {
  /// True if the answer is an HTML page, as web servers, login portals and load balancers send it: according to its type or,
  /// without a type, its first bytes.
  package var isHTML: Bool {
    guard let type = headers.bytes(first: "Content-Type") else { return beginsAsPage }
    let mediaType = type.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
      .lazy.filter { !Self.isBlank($0) }.map { $0.asciiLowercased }
    return mediaType.elementsEqual("text/html".utf8) || mediaType.elementsEqual("application/xhtml+xml".utf8)
  }

  /// True if the body begins as an HTML page does, whatever its type.
  var beginsAsPage: Bool { beginsWith("<!doctype html") || beginsWith("<html") }

  package var beginsWithTag: Bool { beginsWith("<") }

  private func beginsWith(_ text: String) -> Bool {
    let first = body.drop(while: Self.isBlank).prefix(text.utf8.count)
    return first.count == text.utf8.count && zip(first, text.utf8).allSatisfy { $0.asciiLowercased == $1 }
  }

  /// White space, and the bytes of a byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: true
    default: false
    }
  }
}
