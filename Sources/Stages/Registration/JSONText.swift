import HTTPTransfer
import Jobs

/// Writes JSON (RFC 8259) without white space. The members of an object have the order in which they are added.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  /// An empty text, with capacity for most bodies.
  init() { bytes.reserveCapacity(768) }

  /// Writes an object, whose members the closure adds.
  mutating func object(_ members: (inout JSONText) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  /// Adds a member that is an object.
  mutating func object(_ name: String, _ members: (inout JSONText) -> Void) {
    begin(name)
    object(members)
  }

  /// Adds a member with a text, or null.
  mutating func add(_ name: String, _ value: String?) {
    begin(name)
    if let value { string(value) } else { bytes += "null".utf8 }
  }

  /// Adds a member with a text whose characters need no escaping, or null.
  mutating func add(_ name: String, ascii value: ASCIIText?) {
    begin(name)
    guard let value else { return bytes += "null".utf8 }
    bytes.append(UInt8(ascii: "\""))
    value.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Adds a member with a whole number.
  mutating func add(_ name: String, _ value: Int64) {
    begin(name)
    bytes += String(value).utf8
  }

  /// Adds a member whose value is already JSON.
  mutating func add(_ name: String, json: [UInt8]) {
    begin(name)
    bytes += json
  }

  private mutating func begin(_ name: String) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Escapes the characters that RFC 8259, section 7, requires to be escaped, and no others.
  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    if text.hasOnlyBytes({ !Self.isEscaped($0) }) { return bytes += text.utf8 }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case ..<0x20:
        bytes += "\\u00".utf8
        bytes.append(Hex.lowercase(byte >> 4))
        bytes.append(Hex.lowercase(byte))
      default: bytes.append(byte)
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
