/// A whole answer, its body bounded by ``HTTPRequest/bodyLimit``.
public struct HTTPResponse: Sendable {
  /// The status of the final answer, e.g. 201; any three digits that the server sent.
  public var status: Int
  /// The header fields, without trailers.
  public var headers: HTTPHeaders
  /// The body's first bytes.
  public var body: [UInt8]
  /// True if the body is not complete: it was over the limit, or an answer of 300 or above was cut off half way.
  public var bodyTruncated: Bool
  /// The bytes of the request's body that had left when the answer ended. A server may answer before it has them all.
  public var bytesSent: Int64

  /// An answer.
  public init(
    status: Int, headers: HTTPHeaders = HTTPHeaders([]), body: [UInt8] = [], bodyTruncated: Bool = false,
    bytesSent: Int64 = 0
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.bodyTruncated = bodyTruncated
    self.bytesSent = bytesSent
  }
}
