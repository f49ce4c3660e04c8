import HTTPTransfer
import Jobs

/// Writes JSON member by member, for answers of thousands of objects: for those an encoder would cost more than all other work.
public struct JSONText: Sendable {
  /// The text so far.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Creates an empty text.
  public init() {}

  /// Writes an object, whose members the body writes.
  public mutating func object(_ body: (inout JSONText) -> Void) { enclosed("{", "}", body) }

  /// Writes an array, whose values the body writes.
  public mutating func array(_ body: (inout JSONText) -> Void) { enclosed("[", "]", body) }

  private mutating func enclosed(
    _ first: Unicode.Scalar, _ last: Unicode.Scalar, _ body: (inout JSONText) -> Void
  ) {
    separate()
    bytes.append(UInt8(ascii: first))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: last))
    needsComma = true
  }

  /// Writes a member with a text; nil is null.
  public mutating func member(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { string(text) } else { null() }
  }

  /// Writes a member with a number; nil is null.
  public mutating func member(_ name: StaticString, _ number: Int64?) {
    key(name)
    if let number { value(number) } else { null() }
  }

  /// Writes a member with a time; nil is null.
  public mutating func member(_ name: StaticString, _ time: MessageTime?) {
    key(name)
    guard let time else { return null() }
    bytes.append(UInt8(ascii: "\""))
    time.timestamp.rfc3339MillisecondCharacters.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a member that is true or false.
  public mutating func member(_ name: StaticString, _ flag: Bool) {
    key(name)
    literal(flag ? "true" : "false")
  }

  /// Writes a member whose value is JSON already; nil is null.
  public mutating func member(_ name: StaticString, json: [UInt8]?) {
    key(name)
    guard let json else { return null() }
    bytes += json
    needsComma = true
  }

  /// Writes a member with an object.
  public mutating func member(_ name: StaticString, object body: (inout JSONText) -> Void) {
    key(name)
    object(body)
  }

  /// Writes a member with an array.
  public mutating func member(_ name: StaticString, array body: (inout JSONText) -> Void) {
    key(name)
    array(body)
  }

  /// Writes a number.
  public mutating func value(_ number: Int64) {
    separate()
    bytes += String(number).utf8
    needsComma = true
  }

  private mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func null() { literal("null") }

  private mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    needsComma = true
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Writes a text, escaped as RFC 8259, section 7, demands.
  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer {
      bytes.append(UInt8(ascii: "\""))
      needsComma = true
    }
    // nearly every text has nothing to escape, and is copied as a whole
    if text.hasOnlyBytes({ !Self.isEscaped($0) }) { return bytes += text.utf8 }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case ..<0x20:
        bytes += "\\u00".utf8
        bytes += [Self.hexDigits[Int(byte >> 4)], Self.hexDigits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
