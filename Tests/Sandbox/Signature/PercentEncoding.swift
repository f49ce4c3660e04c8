/// Percent-encoding for the signature of a request: every byte except RFC 3986's unreserved ones, in upper-case hex.
enum PercentEncoding {
  /// Encodes all bytes except the unreserved ones and those in `also`.
  static func encode(_ bytes: some Sequence<UInt8>, also: Set<UInt8> = []) -> String {
    var out: [UInt8] = []
    for byte in bytes {
      if isUnreserved(byte) || also.contains(byte) {
        out.append(byte)
      } else {
        out.append(UInt8(ascii: "%"))
        out.append(digit(byte >> 4))
        out.append(digit(byte & 0xF))
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The bytes of an encoded text; nil if a `%` is not followed by two hex digits.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        out.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else { return nil }
      out.append(high << 4 | low)
    }
    return out
  }

  static func bytes(hex text: some StringProtocol) -> [UInt8]? {
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.popFirst() {
      guard let high = value(first), let low = rest.popFirst().flatMap(value) else { return nil }
      out.append(high << 4 | low)
    }
    return out
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    for byte in bytes {
      for nibble in [byte >> 4, byte & 0xF] { out.append(nibble < 10 ? digit(nibble) : digit(nibble) | 0x20) }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
  }

  private static func value(_ ascii: UInt8) -> UInt8? {
    switch ascii {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): ascii - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): ascii - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): ascii - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
