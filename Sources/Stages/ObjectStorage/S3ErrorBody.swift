import XML

/// The `<Error>` document of an S3 answer ("Error responses" in the S3 API reference).
struct S3ErrorBody: Hashable, Sendable {
  /// The error code, e.g. `NoSuchBucket`.
  var code: String
  /// The error text for people.
  var message: String?
  /// The region of the bucket, if the request was sent to another one.
  var region: String?
  /// The address to use, if the request was sent to another one.
  var endpoint: String?
  /// The server's time, if the request's time differs too much from it.
  var serverTime: String?
  /// The header that the server does not accept.
  var header: String?

  /// Reads the document; nil if it is not an error.
  ///
  /// - Parameter ofAnyRoot: true if the HTTP status already shows an error, so that the name of the root does not matter.
  init?(_ body: [UInt8], ofAnyRoot: Bool = false) {
    // A body that does not begin like XML need not be parsed.
    guard body.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "<"),
      let root = XMLElement.parse(Self.readable(body))
    else { return nil }
    // OpenStack and some gateways wrap the error element, as AWS's older services do.
    let isWrapped = root.name == "ErrorResponse" || ofAnyRoot
    let error = isWrapped ? root["Error"] ?? root : root
    guard error.name == "Error" || ofAnyRoot, let code = Self.text(error["Code"]) else { return nil }
    self.code = code
    message = Self.text(error["Message"])
    region = Self.text(error["Region"])
    endpoint = Self.text(error["Endpoint"])
    serverTime = Self.text(error["ServerTime"])
    header = Self.text(error["Header"]) ?? message.flatMap(Self.header(in:))
  }

  /// The document in a form that an XML parser accepts. A message may repeat a name from the request, with bytes that are not
  /// UTF-8.
  private static func readable(_ body: [UInt8]) -> [UInt8] {
    String(decoding: body, as: UTF8.self).utf8.map { $0 == 0 ? UInt8(ascii: "?") : $0 }
  }

  /// The header that an error text names: `Header 'x-amz-tagging' with value '…' not implemented` (Cloudflare R2), `Unsupported
  /// header 'x-amz-checksum-crc32' received` (Backblaze B2).
  private static func header(in message: String) -> String? {
    let words = message.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    guard message.lowercased().contains("header") else { return nil }
    return words.first { $0.lowercased().hasPrefix("x-amz-") || $0.lowercased() == "if-none-match" }.map(String.init)
  }

  private static func text(_ element: XMLElement?) -> String? {
    guard let element else { return nil }
    let words = element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.isEmpty ? nil : words
  }
}
