import Messages

extension HTTPRequest {
  /// Refuses a request that cannot be sent unchanged, or that would inject other lines.
  ///
  /// Throws ``TransferError/Kind/badRequest``. Its text never repeats a value, which may be a secret.
  func check() throws(TransferError) {
    if let fault = shape.fault { throw fault }
    // A C string ends at NUL, so a URL with one would be truncated.
    guard url.hasOnlyBytes({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .badRequest("the URL holds a space or a control character")
    }
    for header in headers { try check(header) }
    try checkBody()
  }

  private func check(_ header: HTTPHeader) throws(TransferError) {
    let length = header.name.utf8.count
    guard length > 0, header.name.hasOnlyBytes(RequestShape.Options.isTokenByte) else {
      throw .badRequest("a header's name is not a token (RFC 9110, 5.6.2)")
    }
    guard header.value.hasOnlyBytes({ $0 == 0x09 || ($0 > 0x1F && $0 != 0x7F) }) else {
      throw .badRequest("the value of the header \(header.name) holds a line break or a control character")
    }
    // To compare a name's length costs less than its bytes.
    switch length {
    case 6, 17:
      guard header.isNamed("Transfer-Encoding") || header.isNamed("Expect") else { return }
      throw .badRequest("the header \(header.name) cannot be given")
    case 14:
      guard header.isNamed("Content-Length"), header.value != String(body.count) else { return }
      throw .badRequest("the header Content-Length does not fit the body")
    default: return
    }
  }

  private func checkBody() throws(TransferError) {
    if case .file(_, let offset, let length) = body {
      guard offset >= 0, length >= 0, !offset.addingReportingOverflow(length).overflow else {
        throw .badRequest("the part of the file to send is not a range")
      }
    }
    guard shape.options.method != "HEAD" || body.count == 0 else { throw .badRequest("a HEAD request has no body") }
  }

  /// The destination for an error text: the host with its port, or the socket's path.
  var peer: String {
    if let socket = shape.options.unixSocket { return socket }
    let afterScheme = url.utf8.firstRange(of: "://".utf8).map { url.utf8[$0.upperBound...] } ?? url.utf8[...]
    let authority = afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
    return String(decoding: host, as: UTF8.self)
  }
}

extension RequestShape.Options {
  /// The reason why no request with these options can be sent unchanged; nil if there is none.
  var fault: TransferError? {
    guard !method.isEmpty, method.hasOnlyBytes(Self.isTokenByte) else {
      return .badRequest("the method is not a token")
    }
    for path in [caFile, unixSocket].compactMap(\.self) where path.isEmpty || path.utf8.contains(0) {
      return .badRequest("a path is empty or holds NUL")
    }
    return nil
  }

  /// The characters of a token (RFC 9110, 5.6.2).
  fileprivate static func isTokenByte(_ byte: UInt8) -> Bool {
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
