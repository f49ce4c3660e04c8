/// A character that XML 1.1 allows and XML 1.0, which Expat reads, does not: a control character, as it is or as the reference with which
/// S3 writes it in a key (`bell&#x7;.bin`), U+FFFE and U+FFFF (XML 1.1, section 2.2).
enum UnlistedCharacter {
  /// Returns a document with a question mark in place of each.
  static func replaced(in content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var out: [UInt8] = []
    var start = content.startIndex
    for index in content.indices where index >= start {
      guard let length = length(at: content[index...]) else { continue }
      out += content[start..<index]
      out.append(UInt8(ascii: "?"))
      start = index + length
    }
    return start == content.startIndex ? content : (out + content[start...])[...]
  }

  /// Returns the number of bytes of the character at the beginning of a text; nil if that is none of these.
  private static func length(at text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return nil }
    if first < 0x20 { return isOne(UInt32(first)) ? 1 : nil }
    guard first == 0xEF || first == UInt8(ascii: "&") else { return nil }
    if text.starts(with: "\u{FFFE}".utf8) || text.starts(with: "\u{FFFF}".utf8) { return 3 }
    guard text.starts(with: "&#".utf8), let end = text.prefix(longest).firstIndex(of: UInt8(ascii: ";")) else {
      return nil
    }
    let isHex = text.dropFirst(2).first == UInt8(ascii: "x")
    let digits = String(decoding: text[..<end].dropFirst(isHex ? 3 : 2), as: UTF8.self)
    guard digits.first != "+", let value = UInt32(digits, radix: isHex ? 16 : 10), isOne(value) else { return nil }
    return end - text.startIndex + 1
  }

  /// The maximum length of a reference in bytes.
  private static let longest = 16

  private static func isOne(_ value: UInt32) -> Bool {
    switch value {
    case 0x9, 0xA, 0xD: false
    case 0x1...0x1F, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
