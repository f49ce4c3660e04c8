import Jobs
import Messages

/// Reads JSON in the one form that ``JSONText`` writes: known members in a known order, and no spaces. Any other form is left to
/// the general decoder, which takes ten times as long.
struct JSONTextReader {
  private let bytes: [UInt8]
  private var position = 0
  private var needsComma = false

  /// An error: the text is not in this form; it may be well-formed JSON all the same.
  struct OtherForm: Error {}

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// True if everything was read.
  var isAtEnd: Bool { position == bytes.count }

  /// Reads an object, whose members the body reads.
  mutating func object<Value>(
    _ body: (inout JSONTextReader) throws(OtherForm) -> Value
  ) throws(OtherForm) -> Value {
    try separate()
    try require("{")
    needsComma = false
    let value = try body(&self)
    try require("}")
    needsComma = true
    return value
  }

  /// Reads an array, each of whose values the body reads.
  mutating func array<Value>(
    _ body: (inout JSONTextReader) throws(OtherForm) -> Value
  ) throws(OtherForm) -> [Value] {
    try require("[")
    needsComma = false
    var values: [Value] = []
    while !skip("]") { values.append(try body(&self)) }
    needsComma = true
    return values
  }

  /// Reads the name of a member, which has to be the next one.
  mutating func member(_ name: StaticString) throws(OtherForm) {
    guard hasMember(name) else { throw OtherForm() }
  }

  /// Reads the name of a member, if it is the next one.
  mutating func hasMember(_ name: StaticString) -> Bool {
    let start = position
    if (!needsComma || skip(",")) && skip("\"") && skip(name) && skip("\":") {
      needsComma = false
      return true
    }
    position = start
    return false
  }

  /// Reads the name of a member that may be null, and the null; returns true if the member has a value, which is to be read next.
  mutating func hasValue(_ name: StaticString) throws(OtherForm) -> Bool {
    try member(name)
    guard skip("null") else { return true }
    needsComma = true
    return false
  }

  /// Reads a text.
  mutating func text() throws(OtherForm) -> String {
    let (range, isEscaped) = try quoted()
    if isEscaped { return try unescaped(range) }
    guard let text = String(validating: bytes[range], as: UTF8.self) else { throw OtherForm() }
    return text
  }

  /// Reads a text that is the raw value of one of a few values.
  mutating func value<Value: RawRepresentable<String>>(_ type: Value.Type) throws(OtherForm) -> Value {
    guard let value = Value(rawValue: try text()) else { throw OtherForm() }
    return value
  }

  /// Reads a time.
  mutating func time() throws(OtherForm) -> MessageTime {
    let (range, _) = try quoted()
    guard let time = Timestamp(rfc3339: bytes[range]) else { throw OtherForm() }
    return MessageTime(time)
  }

  /// Reads a whole number.
  mutating func number() throws(OtherForm) -> Int64 {
    try separate()
    let isNegative = skip("-")
    let start = position
    var value: Int64 = 0
    while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit <= 9 {
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) =
        isNegative ? product.subtractingReportingOverflow(Int64(digit)) : product.addingReportingOverflow(Int64(digit))
      guard !overflows, !overflowsToo else { throw OtherForm() }
      value = sum
      position += 1
    }
    guard position > start, position == start + 1 || bytes[start] != UInt8(ascii: "0") else { throw OtherForm() }
    needsComma = true
    return value
  }

  /// Reads true or false.
  mutating func flag() throws(OtherForm) -> Bool {
    needsComma = true
    if skip("true") { return true }
    try require("false")
    return false
  }

  /// Reads an object in any form, which the general decoder reads.
  mutating func decoded<Value: Decodable>(_ type: Value.Type) throws(OtherForm) -> Value {
    let object = try object()
    do {
      return try ControlJSON.decode(type, from: bytes[object])
    } catch {
      throw OtherForm()
    }
  }

  /// Reads a message.
  mutating func message() throws(OtherForm) -> Message {
    let object = try object()
    guard let text = String(validating: bytes[object], as: UTF8.self), let message = Message(json: text) else {
      throw OtherForm()
    }
    return message
  }

  /// Skips an object, and returns its range.
  private mutating func object() throws(OtherForm) -> Range<Int> {
    let start = position
    var depth = 0
    repeat {
      guard position < bytes.count else { throw OtherForm() }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        needsComma = false
        _ = try quoted()
        continue
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      default: break
      }
      position += 1
    } while depth > 0
    needsComma = true
    return start..<position
  }

  private mutating func separate() throws(OtherForm) {
    if needsComma { try require(",") }
  }

  private mutating func require(_ text: StaticString) throws(OtherForm) {
    guard skip(text) else { throw OtherForm() }
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    let isNext = text.withUTF8Buffer { expected in
      for place in 0..<expected.count where unsafe bytes[position + place] != expected[place] { return false }
      return true
    }
    if isNext { position = end }
    return isNext
  }

  /// Skips a text in quotation marks; returns the range between them, and true if something in it is escaped.
  private mutating func quoted() throws(OtherForm) -> (Range<Int>, isEscaped: Bool) {
    try separate()
    try require("\"")
    let start = position
    var isEscaped = false
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        needsComma = true
        return (start..<position, isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        position += 2
      case ..<0x20: throw OtherForm()
      default: position += 1
      }
    }
    throw OtherForm()
  }

  /// Returns the text without its escapes. ``JSONText`` writes those of RFC 8259, section 7, for characters below U+0020, the
  /// quotation mark and the backslash.
  private func unescaped(_ range: Range<Int>) throws(OtherForm) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(range.count)
    var rest = bytes[range]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        plain.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "\""): plain.append(UInt8(ascii: "\""))
      case UInt8(ascii: "\\"): plain.append(UInt8(ascii: "\\"))
      case UInt8(ascii: "b"): plain.append(0x08)
      case UInt8(ascii: "t"): plain.append(0x09)
      case UInt8(ascii: "n"): plain.append(0x0A)
      case UInt8(ascii: "f"): plain.append(0x0C)
      case UInt8(ascii: "r"): plain.append(0x0D)
      case UInt8(ascii: "u"):
        guard rest.count >= 4, rest.first == UInt8(ascii: "0"),
          let code = UInt8(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16), code < 0x20
        else { throw OtherForm() }
        plain.append(code)
        rest = rest.dropFirst(4)
      default: throw OtherForm()
      }
    }
    guard let text = String(validating: plain, as: UTF8.self) else { throw OtherForm() }
    return text
  }
}
