import HTTPTransfer
import Jobs
import Messages

/// A request in the canonical form that both sides of a signature hash.
///
/// See "Create a canonical request" in the S3 API reference, "Authenticating Requests (AWS Signature Version 4)".
/// For S3 the path is encoded once and never normalised.
package struct CanonicalRequest {
  /// All six parts, separated by line feeds.
  let bytes: [UInt8]
  private let names: Range<Int>

  /// The names of the signed headers, in lower case, sorted, separated by `;`.
  var signedHeaders: ArraySlice<UInt8> { bytes[names] }

  /// - Parameters:
  ///   - path: percent-encoded already, and begins with `/`.
  ///   - headers: every header to sign, with values that went through ``collapsed(_:)``; `Host` has to be among them.
  init(
    method: String, path: Substring, query: [(name: String, value: String)], headers: [HTTPHeader],
    payloadHash: String
  ) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    bytes += method.utf8
    bytes.append(Self.lineFeed)
    bytes += path.utf8
    bytes.append(Self.lineFeed)
    bytes += Self.canonical(query).utf8
    bytes.append(Self.lineFeed)
    let headers = Self.canonical(headers)
    for header in headers {
      bytes += header.name.utf8
      bytes.append(UInt8(ascii: ":"))
      bytes += header.value.utf8
      bytes.append(Self.lineFeed)
    }
    bytes.append(Self.lineFeed)
    let start = bytes.count
    for header in headers {
      if bytes.count > start { bytes.append(UInt8(ascii: ";")) }
      bytes += header.name.utf8
    }
    names = start..<bytes.count
    bytes.append(Self.lineFeed)
    bytes += payloadHash.utf8
    self.bytes = bytes
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Returns the query as it is signed and sent: sorted by encoded name, then by encoded value.
  package static func canonical(_ query: [(name: String, value: String)]) -> String {
    guard !query.isEmpty else { return "" }
    return query.map { (PercentEncoding.component($0.name), PercentEncoding.component($0.value)) }
      .sorted { $0.0.utf8.elementsEqual($1.0.utf8) ? precedes($0.1, $1.1) : precedes($0.0, $1.0) }
      .map { "\($0.0)=\($0.1)" }
      .joined(separator: "&")
  }

  /// Returns names in lower case and sorted, and values of the same name joined by commas.
  private static func canonical(_ headers: [HTTPHeader]) -> [(name: String, value: String)] {
    var canonical: [(name: String, value: String)] = []
    canonical.reserveCapacity(headers.count)
    for header in headers {
      let name = lowercased(header.name)
      // It is inserted after those of the same name, whose values keep their order. Names are ASCII.
      let place = canonical.firstIndex { name < $0.name } ?? canonical.endIndex
      if place > 0, canonical[place - 1].name == name {
        canonical[place - 1].value += "," + header.value
      } else {
        canonical.insert((name, header.value), at: place)
      }
    }
    return canonical
  }

  private static func lowercased(_ name: String) -> String {
    name.hasOnlyBytes { $0 < UInt8(ascii: "A") || $0 > UInt8(ascii: "Z") } ? name : name.lowercased()
  }

  /// Returns a header's value as it is signed: trimmed, and runs of blanks reduced to one.
  static func collapsed(_ value: String) -> String {
    if value.hasOnlyBytes({ !isBlank($0) }) { return value }
    return value.utf8.split(whereSeparator: isBlank).map { String(Substring($0)) }.joined(separator: " ")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// Orders by bytes, as the specification demands; `String` orders by Unicode's canonical equivalence.
  private static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
