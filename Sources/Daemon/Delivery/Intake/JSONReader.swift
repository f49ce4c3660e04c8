import Jobs

/// Reads the members of one JSON object (RFC 8259), strictly: no duplicate names, nothing after it, nesting of a few levels.
///
/// A library's decoder silently keeps one of two members of the same name, and does not return a number as it is written.
struct JSONReader {
  /// The reason why the bytes are no such object.
  struct Fault: Error, Hashable {
    let words: String
  }

  /// The maximum depth of objects and arrays in one another.
  static let deepest = 64

  private let bytes: [UInt8]
  private var position = 0

  /// Creates a reader of a text in UTF-8.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the object. The value of a member is its text, the number as it is written, `true` or `false`; nil for null, an
  /// object or an array.
  mutating func object() throws(Fault) -> [(name: String, value: String?)] {
    skipSpace()
    guard next == UInt8(ascii: "{") else { throw fault("it does not begin with {") }
    let members = try members(depth: 1)
    skipSpace()
    guard position == bytes.count else { throw fault("something follows the object") }
    return members
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private func fault(_ words: String) -> Fault {
    let read = bytes.prefix(position)
    let line = read.count { $0 == 0x0A } + 1
    let column = position - (read.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return Fault(words: "\(words) (line \(line), column \(column))")
  }

  private mutating func expect(_ byte: UInt8, _ words: String) throws(Fault) {
    skipSpace()
    guard next == byte else { throw fault(words) }
    position += 1
  }

  private mutating func members(depth: Int) throws(Fault) -> [(name: String, value: String?)] {
    try enter(depth)
    var members: [(name: String, value: String?)] = []
    // Two ways to compose the same letter are one name, as they are to readers of the metadata.
    var names: Set<String> = []
    skipSpace()
    if next == UInt8(ascii: "}") {
      position += 1
      return members
    }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes is missing") }
      let name = try string()
      guard names.insert(name).inserted else {
        throw fault("the name \(DisplayText.escape(String(name.prefix(80)))) is there twice")
      }
      try expect(UInt8(ascii: ":"), "a colon is missing")
      members.append((name, try value(depth: depth)))
      skipSpace()
      if next == UInt8(ascii: "}") { break }
      try expect(UInt8(ascii: ","), "a comma or } is missing")
    }
    position += 1
    return members
  }

  private mutating func array(depth: Int) throws(Fault) {
    try enter(depth)
    skipSpace()
    if next == UInt8(ascii: "]") {
      position += 1
      return
    }
    while true {
      _ = try value(depth: depth)
      skipSpace()
      if next == UInt8(ascii: "]") { break }
      try expect(UInt8(ascii: ","), "a comma or ] is missing")
    }
    position += 1
  }

  private mutating func enter(_ depth: Int) throws(Fault) {
    guard depth <= Self.deepest else { throw fault("it is nested more than \(Self.deepest) deep") }
    position += 1
  }

  private mutating func value(depth: Int) throws(Fault) -> String? {
    skipSpace()
    switch next {
    case UInt8(ascii: "\""): return try string()
    case UInt8(ascii: "{"):
      _ = try members(depth: depth + 1)
      return nil
    case UInt8(ascii: "["):
      try array(depth: depth + 1)
      return nil
    case UInt8(ascii: "t"): return try word("true")
    case UInt8(ascii: "f"): return try word("false")
    case UInt8(ascii: "n"):
      _ = try word("null")
      return nil
    case nil: throw fault("it ends in the middle")
    default: return try number()
    }
  }

  private mutating func word(_ word: String) throws(Fault) -> String {
    guard bytes[position...].starts(with: word.utf8) else { throw fault("a value is missing") }
    position += word.utf8.count
    return word
  }

  /// RFC 8259, section 6.
  private mutating func number() throws(Fault) -> String {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(Fault) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw fault("a value is missing") }
  }

  /// RFC 8259, section 7.
  private mutating func string() throws(Fault) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += String(try escape()).utf8
      case ..<0x20:
        position -= 1
        throw fault("a text has a control character")
      default: text.append(byte)
      }
    }
    throw fault("a text is not closed")
  }

  private mutating func escape() throws(Fault) -> Unicode.Scalar {
    guard let byte = next else { throw fault("a text is not closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw fault("a text has an escape that JSON does not know")
    }
    let unit = try hex()
    if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
    guard UTF16.isLeadSurrogate(unit), bytes[position...].starts(with: "\\u".utf8) else {
      throw fault("a text has half a surrogate pair")
    }
    position += 2
    let second = try hex()
    guard UTF16.isTrailSurrogate(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { throw fault("a text has half a surrogate pair") }
    return scalar
  }

  private mutating func hex() throws(Fault) -> UInt16 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy(Self.isHexDigit),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fault("a \\u has no four digits") }
    position += 4
    return unit
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
