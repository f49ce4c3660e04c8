package import HTTPTransfer

/// A request as a server gets it: all its bytes, and no time-outs.
package struct FarRequest: Codable, Hashable, Sendable {
  package var method: String
  package var scheme: String
  /// Host and port as they stand in the URL, in lower case.
  package var host: String
  /// The path, percent-encoded as it was sent.
  package var path: String
  /// The query without its question mark, percent-encoded as it was sent; empty for none.
  package var query: String
  /// The header fields, without `Host` and `Content-Length`.
  package var headers: [FarHeader]
  package var body: [UInt8]
  /// The virtual time at which the caller began to send it.
  package var sentAt: Duration

  /// A request for a URL; nil if the text is no absolute URL.
  package init?(
    method: String, url: String, headers: [FarHeader] = [], body: [UInt8] = [], sentAt: Duration = .zero
  ) {
    guard let mark = url.firstRange(of: "://") else { return nil }
    let rest = url[mark.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let tail = rest[end...]
    let question = tail.firstIndex(of: "?") ?? tail.endIndex
    guard end > rest.startIndex else { return nil }
    self.method = method
    scheme = url[..<mark.lowerBound].lowercased()
    host = rest[..<end].lowercased()
    path = tail[..<question].isEmpty ? "/" : String(tail[..<question])
    query = String(tail[question...].dropFirst())
    self.headers = headers
    self.body = body
    self.sentAt = sentAt
  }

  /// The request that the transport was given, with the bytes of its body; nil if its URL is none.
  package init?(_ request: HTTPRequest, body: [UInt8], sentAt: Duration) {
    self.init(
      method: request.method, url: request.url, headers: request.headers.map { FarHeader($0.name, $0.value) },
      body: body, sentAt: sentAt)
  }

  package subscript(header name: String) -> String? { headers[first: name] }
}
