import Jobs

/// The escaped forms of a byte in JSON (`\/`, `\u002f`), URLs (`%2f`) and XML (`&amp;`, `&#47;`, `&#x2f;`).
enum EscapedByte {
  /// The bytes with which an escape begins.
  static let starts = [UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&")]

  /// Returns true if the text may be the beginning of an escape that was cut off.
  static func isHalf(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, starts.contains(first) else { return false }
    return text.count < (first == UInt8(ascii: "%") ? 3 : 6)
  }

  /// Returns the end of this byte, escaped or not, at a position of the text; nil if another byte is there.
  static func end(of byte: UInt8, in text: [UInt8], at position: Int) -> Int? {
    let rest = text[position...]
    if let length = length(of: byte, in: rest) { return position + length }
    return rest.first == byte ? position + 1 : nil
  }

  private static func length(of byte: UInt8, in text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first, starts.contains(first) else { return nil }
    let rest = text.dropFirst()
    switch first {
    case UInt8(ascii: "%"): return hex(rest.prefix(2)) == byte ? 3 : nil
    case UInt8(ascii: "\\"):
      if rest.starts(with: "u00".utf8) { return hex(rest.dropFirst(3).prefix(2)) == byte ? 6 : nil }
      return rest.first == byte ? 2 : nil
    default: return entity(of: byte, in: rest)
    }
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt8? {
    let values = digits.compactMap(Hex.value)
    return values.count == 2 ? values[0] << 4 | values[1] : nil
  }

  /// The predefined entities of XML 1.0, section 4.6.
  private static let names: [(UInt8, String)] = [
    (UInt8(ascii: "&"), "amp"), (UInt8(ascii: "<"), "lt"), (UInt8(ascii: ">"), "gt"), (UInt8(ascii: "\""), "quot"),
    (UInt8(ascii: "'"), "apos"),
  ]

  /// The length of an entity, including the `&` before this text; nil if the entity is not the byte.
  private static func entity(of byte: UInt8, in text: ArraySlice<UInt8>) -> Int? {
    let name = text.prefix(6).prefix { $0 != UInt8(ascii: ";") }
    guard text.dropFirst(name.count).first == UInt8(ascii: ";") else { return nil }
    let text = String(decoding: name, as: UTF8.self)
    let isIt: Bool
    if text.hasPrefix("#x") || text.hasPrefix("#X") {
      isIt = UInt8(text.dropFirst(2), radix: 16) == byte
    } else if text.hasPrefix("#") {
      isIt = UInt8(text.dropFirst()) == byte
    } else {
      isIt = names.contains { $0.0 == byte && $0.1 == text }
    }
    return isIt ? name.count + 2 : nil
  }
}
