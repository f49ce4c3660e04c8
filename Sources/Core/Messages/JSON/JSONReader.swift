/// Reads JSON (RFC 8259), strictly: no name twice in an object, nothing after the value, nesting of a few levels, UTF-8 alone.
///
/// Decoders of libraries silently keep one of two members of the same name, and do not give numbers as written.
package struct JSONReader {
  /// The maximum depth of objects and arrays in one another.
  package static let deepest = 64

  private let bytes: [UInt8]
  private let isLenient: Bool
  private var position = 0

  private init(_ bytes: [UInt8], isLenient: Bool = false) { (self.bytes, self.isLenient) = (bytes, isLenient) }

  /// Reads an answer of another program. It tolerates a byte order mark, half a surrogate pair, texts that are not UTF-8, and a second
  /// member of a name, which is skipped.
  package static func answer(_ bytes: [UInt8]) throws(JSONFault) -> JSONNode {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var reader = JSONReader(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes, isLenient: true)
    let value = try reader.value(depth: 0)
    try reader.end("the value")
    return value
  }

  package static func value(_ bytes: [UInt8]) throws(JSONFault) -> JSONNode {
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 0)
    try reader.end("the value")
    return value
  }

  package static func object(_ bytes: [UInt8]) throws(JSONFault) -> JSONObject {
    var reader = JSONReader(bytes)
    reader.skipSpace()
    guard reader.next == UInt8(ascii: "{") else { throw reader.fault("it does not begin with {") }
    let object = try reader.object(depth: 1)
    try reader.end("the object")
    return object
  }

  private mutating func end(_ what: String) throws(JSONFault) {
    skipSpace()
    guard position == bytes.count else { throw fault("something follows \(what)") }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Passes over a byte if it is the next one.
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private func fault(_ words: String) -> JSONFault {
    let read = bytes.prefix(position)
    let line = read.count { $0 == 0x0A } + 1
    let column = position - (read.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return JSONFault(words: "\(words) (line \(line), column \(column))")
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONObject {
    try enter(depth)
    var object = JSONObject()
    // Ascending names are unique; all names that Waybill writes ascend. Two ways to compose a letter are one name, as for readers of a
    // file's metadata.
    var last: String?
    var names: Set<String>?
    skipSpace()
    if skip(UInt8(ascii: "}")) { return object }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes is missing") }
      let name = try string()
      if names == nil, let last, last >= name { names = Set(object.members.map(\.name)) }
      let isNew = names?.insert(name).inserted ?? true
      guard isNew || isLenient else { throw fault("the name \(name.prefix(80)) is there twice") }
      last = name
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw fault("a colon is missing") }
      let value = try value(depth: depth)
      if isNew { object.append(name, value) }
      skipSpace()
      if skip(UInt8(ascii: "}")) { return object }
      guard skip(UInt8(ascii: ",")) else { throw fault("a comma or } is missing") }
    }
  }

  private mutating func array(depth: Int) throws(JSONFault) -> [JSONNode] {
    try enter(depth)
    var elements: [JSONNode] = []
    skipSpace()
    if skip(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if skip(UInt8(ascii: "]")) { return elements }
      guard skip(UInt8(ascii: ",")) else { throw fault("a comma or ] is missing") }
    }
  }

  private mutating func enter(_ depth: Int) throws(JSONFault) {
    guard depth <= Self.deepest else { throw fault("it is nested more than \(Self.deepest) deep") }
    position += 1
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONNode {
    skipSpace()
    switch next {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw fault("it ends in the middle")
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: JSONNode) throws(JSONFault) -> JSONNode {
    for byte in word.utf8 where !skip(byte) { throw fault("a value is missing") }
    return value
  }

  /// RFC 8259, section 6.
  private mutating func number() throws(JSONFault) -> String {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits()
    }
    return Self.string(bytes.span.extracting(start..<position)) ?? ""
  }

  private mutating func digits() throws(JSONFault) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw fault("a value is missing") }
  }

  /// RFC 8259, section 7. Nearly every text has nothing escaped, and is copied as a whole.
  private mutating func string() throws(JSONFault) -> String {
    position += 1
    var text: [UInt8] = []
    var start = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        if !text.isEmpty { text += bytes[start..<position] }
        var string = text.isEmpty ? Self.string(bytes.span.extracting(start..<position)) : Self.string(text.span)
        if isLenient, string == nil {
          string = String(decoding: text.isEmpty ? bytes[start..<position] : text[...], as: UTF8.self)
        }
        guard let string else { throw fault("a text is not UTF-8") }
        position += 1
        return string
      case UInt8(ascii: "\\"):
        text += bytes[start..<position]
        position += 1
        text += String(try escape()).utf8
        start = position
      case ..<0x20: throw fault("a text has a control character")
      default: position += 1
      }
    }
    throw fault("a text is not closed")
  }

  /// The text that is these bytes; nil if they are not UTF-8.
  private static func string(_ bytes: Span<UInt8>) -> String? {
    do {
      return String(copying: try UTF8Span(validating: bytes))
    } catch {
      return nil
    }
  }

  private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
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
    let before = position
    if UTF16.isLeadSurrogate(unit), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
      let second = try hex()
      if UTF16.isTrailSurrogate(second),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
      {
        return scalar
      }
    }
    guard isLenient else { throw fault("a text has half a surrogate pair") }
    position = before
    return "\u{FFFD}"
  }

  private mutating func hex() throws(JSONFault) -> UInt16 {
    let digits = bytes[position...].prefix(4).map { Unicode.Scalar($0) }
    guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
      let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
    else { throw fault("a \\u has no four digits") }
    position += 4
    return unit
  }
}
