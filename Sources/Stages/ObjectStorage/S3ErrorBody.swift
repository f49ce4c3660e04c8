import XML

/// The `<Error>` document of an S3 answer ("Error responses" in the S3 API reference).
struct S3ErrorBody: Hashable, Sendable {
  /// The code for programs, e.g. `NoSuchBucket`.
  var code: String
  /// The words for people.
  var message: String?
  /// The region that the bucket is in, if the request went to another.
  var region: String?
  /// The address to use, if the request went to another.
  var endpoint: String?
  /// The server's clock, if the request's time is too far from it.
  var serverTime: String?
  /// The header that the server does not take.
  var header: String?

  /// Reads the document; nil for any other document.
  ///
  /// - Parameter ofAnyRoot: true if the status says that it is an error, so that the code counts whatever the root's name is.
  init?(_ body: [UInt8], ofAnyRoot: Bool = false) {
    // A JSON or empty body need not be read.
    guard body.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "<"),
      let root = XMLElement.parse(Self.readable(body))
    else { return nil }
    // OpenStack and some gateways wrap the error in the same way as AWS's older services.
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

  /// The document in a form that a parser accepts: a message may repeat a name, with bytes that are no text or that XML
  /// forbids.
  private static func readable(_ body: [UInt8]) -> [UInt8] {
    String(decoding: body, as: UTF8.self).utf8.map { byte in
      byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D ? UInt8(ascii: "?") : byte
    }
  }

  /// The header that a message names: `Header 'x-amz-tagging' with value '…' not implemented` (Cloudflare R2), `Unsupported header
  /// 'x-amz-checksum-crc32' received` (Backblaze B2).
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
