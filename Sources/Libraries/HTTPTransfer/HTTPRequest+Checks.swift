import Messages

extension HTTPRequest {
  /// Refuses a request that cannot be sent unchanged, or that would inject other lines.
  ///
  /// Throws ``TransferError/Kind/badRequest``. Its text never repeats a value, which may be a secret.
  func check() throws(TransferError) {
    guard !method.isEmpty, method.hasOnlyBytes(Self.isTokenByte) else {
      throw .badRequest("the method is not a token")
    }
    // A C string ends at NUL, so a URL with one would be truncated.
    guard url.hasOnlyBytes({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .badRequest("the URL holds a space or a control character")
    }
    for header in headers { try check(header) }
    try checkBody()
    guard proxy?.option.utf8.contains(0) != true else { throw .badRequest("the proxy's URL holds NUL") }
    for path in [caFile, unixSocket] {
      guard let path else { continue }
      guard !path.isEmpty, !path.utf8.contains(0) else { throw .badRequest("a path is empty or holds NUL") }
    }
  }

  private func check(_ header: HTTPHeader) throws(TransferError) {
    guard !header.name.isEmpty, header.name.hasOnlyBytes(Self.isTokenByte) else {
      throw .badRequest("a header's name is not a token (RFC 9110, 5.6.2)")
    }
    guard header.value.hasOnlyBytes({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
      throw .badRequest("the value of the header \(header.name) holds a line break or a control character")
    }
    if header.isNamed("Transfer-Encoding") || header.isNamed("Expect") {
      throw .badRequest("the header \(header.name) cannot be given")
    }
    if header.isNamed("Content-Length"), header.value != String(bodyLength) {
      throw .badRequest("the header Content-Length does not fit the body")
    }
  }

  private func checkBody() throws(TransferError) {
    if case .file(_, let offset, let length) = body {
      guard offset >= 0, length >= 0, !offset.addingReportingOverflow(length).overflow else {
        throw .badRequest("the part of the file to send is not a range")
      }
    }
    guard method != "HEAD" || bodyLength == 0 else { throw .badRequest("a HEAD request has no body") }
  }

  /// The length of the body in bytes.
  var bodyLength: Int64 {
    switch body {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, _, let length): length
    case .framed(_, _, let frame): frame.length
    }
  }

  /// True if libcurl reads its body in portions while it is sent; other bodies are passed as a whole.
  var isReadInPortions: Bool {
    switch body {
    case .none, .bytes: false
    case .file, .framed: true
    }
  }

  /// The destination for an error text: the host with its port, or the socket's path.
  var peer: String {
    if let unixSocket { return unixSocket }
    let afterScheme = url.utf8.firstRange(of: "://".utf8).map { url.utf8[$0.upperBound...] } ?? url.utf8[...]
    let authority = afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
    return String(decoding: host, as: UTF8.self)
  }

  /// The characters of a token (RFC 9110, 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "-"), UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
      UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
