/// A key of 256 bits as a file holds it: 32 bytes, or their base64 (RFC 4648, section 4) on one line.
enum Key256 {
  private static let count = 32
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the key's bytes; nil for anything else. A line end after either form, as an editor adds it, is ignored.
  static func bytes(_ raw: [UInt8]) -> [UInt8]? {
    if raw.count == count { return raw }
    var line = raw[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line.count == count ? Array(line) : decoded(line)
  }

  /// Returns the base64 of a key.
  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (24 - 8 * group.count)
      for place in 0..<4 {
        text.append(place <= group.count ? digits[bits >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a key in base64: 43 digits and one padding character.
  private static func decoded(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    guard line.count == 44, line.last == UInt8(ascii: "=") else { return nil }
    var bytes: [UInt8] = []
    var (bits, length) = (0, 0)
    for character in line.dropLast() {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      bits = (bits << 6 | digit) & 0xFFFF
      length += 6
      guard length >= 8 else { continue }
      length -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> length))
    }
    return bytes.count == count ? bytes : nil
  }
}
