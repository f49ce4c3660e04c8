import HTTPTypes

/// The text that both sides sign, made here from the bytes on the wire.
///
/// Rules: AWS, "Create a signed AWS API request", with S3's exceptions: the path is encoded once and not normalised.
struct CanonicalRequest: Sendable {
  let text: String

  /// Builds the text for a request, with the headers that the client claims to have signed.
  init(_ request: HTTPRequest, signedHeaders: [String], payload: String) throws(StorageError) {
    let target = request.path ?? "/"
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    guard let path = PercentEncoding.decode(target[..<mark]) else { throw .invalidURI }
    var lines = [request.method.rawValue, PercentEncoding.encode(path, also: [UInt8(ascii: "/")])]
    lines.append(try Self.query(target[mark...].dropFirst()))
    let values = Self.headers(of: request)
    for name in signedHeaders {
      guard let all = values[name] else {
        throw StorageError(403, "AccessDenied", "The header \(name) was signed but not sent.")
      }
      lines.append(name + ":" + all.joined(separator: ","))
    }
    lines += ["", signedHeaders.joined(separator: ";"), payload]
    text = lines.joined(separator: "\n")
  }

  /// All headers by their lower-case names, `host` among them, in the order of sending and with runs of spaces reduced to one.
  static func headers(of request: HTTPRequest) -> [String: [String]] {
    var values: [String: [String]] = [:]
    if let host = request.authority { values["host"] = [host] }
    for field in request.headerFields {
      let words = field.value.split(omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
      values[field.name.canonicalName, default: []].append(words.joined(separator: " "))
    }
    return values
  }

  private static func query(_ text: Substring) throws(StorageError) -> String {
    var pairs: [(name: String, value: String)] = []
    for pair in text.split(separator: "&") {
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      guard let name = PercentEncoding.decode(pair[..<equals]),
        let value = PercentEncoding.decode(pair[equals...].dropFirst())
      else { throw .invalidURI }
      // Of a presigned URL; in a signed request, there is none.
      if name.elementsEqual("X-Amz-Signature".utf8) { continue }
      pairs.append((PercentEncoding.encode(name), PercentEncoding.encode(value)))
    }
    pairs.sort { ($0.name, $0.value) < ($1.name, $1.value) }
    return pairs.map { $0.name + "=" + $0.value }.joined(separator: "&")
  }
}
