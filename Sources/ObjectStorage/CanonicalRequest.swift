import HTTPTransfer
import Jobs

/// A request in the one spelling that both sides of a signature hash.
///
/// See "Create a canonical request" in the S3 API reference, "Authenticating Requests (AWS Signature Version 4)".
/// For S3 the path is encoded once and never normalised.
struct CanonicalRequest {
  /// The names of the signed headers, in lower case, sorted, separated by `;`.
  let signedHeaders: String
  /// All six parts, separated by line feeds.
  let text: String

  /// - Parameters:
  ///   - path: percent-encoded already, and begins with `/`.
  ///   - query: names and values that are not encoded yet.
  ///   - headers: every header to sign; `Host` has to be among them.
  ///   - payloadHash: SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`.
  init(method: String, path: String, query: [(name: String, value: String)], headers: [HTTPHeader], payloadHash: String)
  {
    let canonical = Self.canonical(headers)
    signedHeaders = canonical.map(\.name).joined(separator: ";")
    text =
      method + "\n" + path + "\n" + Self.canonical(query) + "\n"
      + canonical.map { "\($0.name):\($0.value)\n" }.joined()
      + "\n" + signedHeaders + "\n" + payloadHash
  }

  /// The query as it is signed and sent: sorted by encoded name, then by encoded value.
  static func canonical(_ query: [(name: String, value: String)]) -> String {
    query.map { (PercentEncoding.component($0.name), PercentEncoding.component($0.value)) }
      .sorted { $0.0.utf8.elementsEqual($1.0.utf8) ? precedes($0.1, $1.1) : precedes($0.0, $1.0) }
      .map { "\($0.0)=\($0.1)" }
      .joined(separator: "&")
  }

  /// Names in lower case and sorted; values trimmed, runs of spaces made one, those of one name joined by commas.
  private static func canonical(_ headers: [HTTPHeader]) -> [(name: String, value: String)] {
    var canonical: [(name: String, value: String)] = []
    // Sorted by name alone and stably, so that the values of one name keep their order.
    for header in headers.enumerated().map({ (name: $1.name.lowercased(), order: $0, value: collapsed($1.value)) })
      .sorted(by: { $0.name == $1.name ? $0.order < $1.order : precedes($0.name, $1.name) })
    {
      if let last = canonical.indices.last, canonical[last].name == header.name {
        canonical[last].value += "," + header.value
      } else {
        canonical.append((header.name, header.value))
      }
    }
    return canonical
  }

  private static func collapsed(_ value: String) -> String {
    value.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
      .map { String(Substring($0)) }.joined(separator: " ")
  }

  /// Order by bytes, as the specification wants it; `String`'s own order is by Unicode's canonical equivalence.
  private static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
