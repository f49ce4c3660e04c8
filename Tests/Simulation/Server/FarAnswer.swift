package import HTTPTransfer

package struct FarAnswer: Codable, Hashable, Sendable {
  package var status: Int
  package var headers: [FarHeader]
  package var body: [UInt8]

  package init(_ status: Int, headers: [FarHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package init(_ status: Int, type: String, _ text: String, headers: [FarHeader] = []) {
    self.init(status, headers: [FarHeader("Content-Type", type)] + headers, body: Array(text.utf8))
  }

  package subscript(header name: String) -> String? { headers[first: name] }

  /// The answer as the transport returns it, after that many bytes of the request's body were sent.
  package func response(limit: Int, bytesSent: Int64) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: HTTPHeaders(headers.map { HTTPHeader($0.name, $0.value) }),
      body: Array(body.prefix(limit)), bodyTruncated: body.count > limit, bytesSent: bytesSent)
  }
}
