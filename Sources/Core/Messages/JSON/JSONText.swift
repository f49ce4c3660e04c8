/// Writes JSON (RFC 8259) in one line without spaces. The members of an object have the order in which they are written.
///
/// For answers with thousands of objects an encoder costs more than all else that is done for them.
package struct JSONText: Sendable {
  /// The text so far.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false
  /// The form of messages in it.
  package let texts: TextForm

  /// Creates an empty text, with room for this number of bytes, and with messages in this form.
  package init(capacity: Int = 0, texts: TextForm = .words(.english)) {
    self.texts = texts
    bytes.reserveCapacity(capacity)
  }

  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object, whose members the body writes.
  package mutating func object(_ body: (inout JSONText) throws -> Void) rethrows {
    try enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes an array, whose values the body writes.
  package mutating func array(_ body: (inout JSONText) throws -> Void) rethrows {
    try enclosed(UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  private mutating func enclosed(_ first: UInt8, _ last: UInt8, _ body: (inout JSONText) throws -> Void) rethrows {
    separate()
    bytes.append(first)
    needsComma = false
    try body(&self)
    bytes.append(last)
    needsComma = true
  }

  package mutating func member(_ name: String, _ text: String?) {
    key(name)
    if let text { value(text) } else { literal("null") }
  }

  package mutating func member(_ name: String, _ number: Int64?) {
    key(name)
    if let number { value(number) } else { literal("null") }
  }

  package mutating func member(_ name: String, _ flag: Bool) {
    key(name)
    literal(flag ? "true" : "false")
  }

  /// Writes a member with an object of texts, sorted by name.
  package mutating func member(_ name: String, _ texts: [String: String]) {
    member(
      name,
      object: { members in
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { members.member(name, text) }
      })
  }

  /// Writes a member with what is JSON already; nil is null.
  package mutating func member(_ name: String, json: [UInt8]?) {
    key(name)
    if let json { value(json: json) } else { literal("null") }
  }

  package mutating func value(json: [UInt8]) {
    separate()
    bytes += json
    needsComma = true
  }

  package mutating func member(_ name: String, object body: (inout JSONText) throws -> Void) rethrows {
    key(name)
    try object(body)
  }

  package mutating func member(_ name: String, array body: (inout JSONText) throws -> Void) rethrows {
    key(name)
    try array(body)
  }

  package mutating func value(_ number: Int64) {
    separate()
    literal(String(number))
  }

  /// Writes a number, a whole one without a fraction. It has to be finite.
  package mutating func value(_ number: Double) {
    separate()
    literal(number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number))
  }

  package mutating func value(_ number: UInt64) {
    separate()
    literal(String(number))
  }

  package mutating func value(_ flag: Bool) {
    separate()
    literal(flag ? "true" : "false")
  }

  package mutating func value(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    // nearly every text has nothing to escape, and is copied as a whole
    if text.hasOnlyBytes({ !Self.isEscaped($0) }) {
      bytes += text.utf8
    } else {
      for byte in text.utf8 { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  static func quoted(_ text: String) -> String {
    var json = JSONText()
    json.value(text)
    return json.string
  }

  /// Begins a member: its value comes next.
  package mutating func key(_ name: String) {
    value(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func null() {
    separate()
    literal("null")
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func literal(_ text: String) {
    bytes += text.utf8
    needsComma = true
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Escapes what has to be (RFC 8259, section 7).
  private mutating func escape(_ byte: UInt8) {
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

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
