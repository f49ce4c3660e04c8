package import HTTPTransfer

/// An answer of a server.
package struct FarAnswer: Codable, Hashable, Sendable {
  /// The status.
  package var status: Int
  /// The header fields.
  package var headers: [FarHeader]
  /// The body's bytes.
  package var body: [UInt8]

  /// An answer.
  package init(_ status: Int, headers: [FarHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer with a text of a type.
  package init(_ status: Int, type: String, _ text: String, headers: [FarHeader] = []) {
    self.init(status, headers: [FarHeader("Content-Type", type)] + headers, body: Array(text.utf8))
  }

  /// The value of the first header field with this name, whatever the case of its letters.
  package subscript(header name: String) -> String? { headers[first: name] }

  /// The answer as the transport returns it, after that many bytes of the request's body were sent.
  package func response(limit: Int, bytesSent: Int64) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: HTTPHeaders(headers.map { HTTPHeader($0.name, $0.value) }),
      body: Array(body.prefix(limit)), bodyTruncated: body.count > limit, bytesSent: bytesSent)
  }
}
