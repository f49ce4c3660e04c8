import Jobs
import Messages

/// Names and values of a URL's query in the form of HTML forms (WHATWG URL, application/x-www-form-urlencoded).
enum QueryText {
  /// Returns the decoded pairs in their order. Their values need not be UTF-8.
  static func pairs(_ query: some StringProtocol) throws(InvalidRequest) -> [(name: String, value: [UInt8])] {
    var pairs: [(name: String, value: [UInt8])] = []
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let value = halves.count > 1 ? try decode(Array(halves[1])) : []
      pairs.append((try text(try decode(Array(halves[0]))), value))
    }
    return pairs
  }

  /// Percent-encodes a value. A comma stays, because a list is easier to read with it.
  static func encode(_ value: [UInt8]) -> String {
    guard let text = String(validating: value, as: UTF8.self) else {
      var encoded: [UInt8] = []
      for byte in value { PercentEncoding.append(byte, to: &encoded) }
      return String(decoding: encoded, as: UTF8.self)
    }
    return PercentEncoding.component(text).replacing("%2C", with: ",")
  }

  private static func decode(_ bytes: [UInt8]) throws(InvalidRequest) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"):
        decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
          throw InvalidRequest(.queryNotEncoded)
        }
        decoded.append(high << 4 | low)
      default:
        decoded.append(byte)
      }
    }
    return decoded
  }

  /// Returns a value that has to be UTF-8.
  static func text(_ bytes: [UInt8]) throws(InvalidRequest) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw InvalidRequest(.queryNotEncoded) }
    return text
  }
}
