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

  /// Returns bytes as lower-case hex text. Inlinable, so that callers specialize it: otherwise each byte of a digest would be read through
  /// the sequence's witness table.
  @inlinable
  public static func text(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes { append(byte, to: &digits) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the bytes that a text of hex digits in either case means; nil for any other text.
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

  /// Appends the two lower-case hex digits of a byte.
  @inlinable
  public static func append(_ byte: UInt8, to digits: inout [UInt8]) {
    digits.append(digit(byte >> 4))
    digits.append(digit(byte & 0xF))
  }

  /// Returns the lower-case hex digit of a value below 16.
  @inlinable
  public static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
