/// Hexadecimal digits, as identities, hashes and escapes write them.
public enum Hex {
  /// The value of an ASCII hex digit in either case, or nil.
  public static func value(of ascii: UInt8) -> UInt8? {
    switch ascii {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): ascii - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): ascii - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): ascii - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The ASCII digit of the low four bits, in lower case.
  @inlinable
  public static func lowercase(_ nibble: UInt8) -> UInt8 {
    let value = nibble & 0xF
    return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// The ASCII digit of the low four bits, in upper case, as RFC 3986 asks for in percent-encoding.
  public static func uppercase(_ nibble: UInt8) -> UInt8 {
    let value = nibble & 0xF
    return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// Returns at most 32 bytes, the length of a SHA-256, as lower-case hex text. It is inlinable, so that callers specialize it:
  /// otherwise each byte of a digest would be read through the sequence's witness table.
  @inlinable
  public static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text = ASCIIText()
    for byte in bytes { text.append(hex: byte) }
    return text.text
  }

  /// Returns the bytes that hex digits in either case write; nil if there are others, or a digit too few.
  public static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Appends bytes as lower-case hex digits.
  @inlinable
  public static func append(_ bytes: some Sequence<UInt8>, to digits: inout [UInt8]) {
    for byte in bytes {
      digits.append(lowercase(byte >> 4))
      digits.append(lowercase(byte))
    }
  }
}

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
