/// Base64 (RFC 4648, section 4), as S3 writes checksums.
public enum Base64 {
  /// Returns at most 48 bytes as text.
  public static func text(_ bytes: [UInt8]) -> String {
    var text = ASCIIText()
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(24 - 8 * group.count)
      for place in 0..<4 {
        let digit = UInt8(bits >> UInt32(18 - 6 * place) & 0x3F)
        text.append(place <= group.count ? character(digit) : UInt8(ascii: "="))
      }
    }
    return text.text
  }

  private static func character(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0..<26: UInt8(ascii: "A") + digit
    case 26..<52: UInt8(ascii: "a") + digit - 26
    case 52..<62: UInt8(ascii: "0") + digit - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
