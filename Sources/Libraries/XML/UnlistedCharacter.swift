/// A character that XML 1.1 allows and XML 1.0, which Expat reads, does not: a control character, as it is or as the reference with which
/// S3 writes it in a key (`bell&#x7;.bin`), U+FFFE and U+FFFF (XML 1.1, section 2.2).
///
/// For Expat each gets the form of an instruction, which is reported at its place in the text.
enum UnlistedCharacter {
  /// The name of that instruction.
  static let target = "_"

  /// Returns a document with these characters in that form.
  static func marked(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var out: [UInt8] = []
    var start = content.startIndex
    for index in content.indices where index >= start {
      guard let (value, length) = character(at: content[index...]) else { continue }
      out += content[start..<index]
      out += "<?\(target) \(value)?>".utf8
      start = index + length
    }
    return start == content.startIndex ? content : (out + content[start...])[...]
  }

  /// Returns the character at the beginning of a text, and the number of its bytes; nil if that is none of these.
  private static func character(at text: ArraySlice<UInt8>) -> (value: UInt32, length: Int)? {
    guard let first = text.first else { return nil }
    if first < 0x20 { return isOne(UInt32(first)) ? (UInt32(first), 1) : nil }
    guard first == 0xEF || first == UInt8(ascii: "&") else { return nil }
    if text.starts(with: "\u{FFFE}".utf8) { return (0xFFFE, 3) }
    if text.starts(with: "\u{FFFF}".utf8) { return (0xFFFF, 3) }
    guard text.starts(with: "&#".utf8), let end = text.prefix(longest).firstIndex(of: UInt8(ascii: ";")) else {
      return nil
    }
    let isHex = text.dropFirst(2).first == UInt8(ascii: "x")
    let digits = String(decoding: text[..<end].dropFirst(isHex ? 3 : 2), as: UTF8.self)
    guard digits.first != "+", let value = UInt32(digits, radix: isHex ? 16 : 10), isOne(value) else { return nil }
    return (value, end - text.startIndex + 1)
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
