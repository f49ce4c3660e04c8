/// The `<Error>` document of an S3 answer ("Error responses" in the S3 API reference).
struct S3ErrorBody: Hashable, Sendable {
  /// The code for programs, e.g. `NoSuchBucket`.
  var code: String
  /// The words for people.
  var message: String?
  /// The region that the bucket is in, where the request went to another.
  var region: String?
  /// The address to use, where the request went to another.
  var endpoint: String?
  /// The server's clock, where the request's is too far from it.
  var serverTime: String?

  /// Reads the document; nil for any other.
  init?(_ body: [UInt8]) {
    // A JSON or empty body need not be walked through.
    guard body.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "<"),
      let root = XMLElement.parse(body)
    else { return nil }
    // OpenStack and some gateways wrap the error as AWS's older services do.
    let error = root.name == "ErrorResponse" ? root["Error"] : root
    guard let error, error.name == "Error", let code = Self.text(error["Code"]) else { return nil }
    self.code = code
    message = Self.text(error["Message"])
    region = Self.text(error["Region"])
    endpoint = Self.text(error["Endpoint"])
    serverTime = Self.text(error["ServerTime"])
  }

  private static func text(_ element: XMLElement?) -> String? {
    guard let element else { return nil }
    let words = element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.isEmpty ? nil : words
  }
}
