/// A position in a TOML text, with the moves that ``TOMLFault`` needs. No move goes backward.
struct TOMLText {
  private let bytes: [UInt8]
  private var position = 0
  /// The line of the position, counted from 1.
  private(set) var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// True at the end of the text.
  var isAtEnd: Bool { current == nil }

  private mutating func advance() {
    guard position < bytes.count else { return }
    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  /// Skips blanks, and then the character if it comes next; returns true if it did.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard current == UInt8(ascii: character) else { return false }
    advance()
    return true
  }

  mutating func skipBlanks() {
    while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { advance() }
  }

  mutating func skipLine() {
    while let byte = current, byte != UInt8(ascii: "\n") { advance() }
    advance()
  }

  /// Skips blanks, line ends and comments; returns false at the end of the text.
  mutating func skipToStatement() -> Bool {
    while let byte = current {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
      case UInt8(ascii: "#"): skipLine()
      // A byte order mark is allowed at the start.
      case 0xEF where position == 0: for _ in 0..<3 { advance() }
      default: return true
      }
    }
    return false
  }

  /// Skips a key with its value of any kind: to the end of the line on which all brackets are closed.
  ///
  /// - Throws: ``TOMLFault`` for a closing bracket of the wrong kind, for a number or date with a colon that is not a time, for a
  ///   character that is allowed only in strings and comments, and for a key with too many parts.
  mutating func skipPair() throws(TOMLFault) {
    var open: [UInt8] = []
    var dots = 0
    while let byte = current {
      if ",=[]{}\n".utf8.contains(byte) { dots = 0 }
      guard dots < Self.mostParts else { throw .deepKey(line: line) }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        skipQuoted()
        continue
      case UInt8(ascii: "#"):
        while current != nil, current != UInt8(ascii: "\n") { advance() }
        continue
      case UInt8(ascii: "\n") where open.isEmpty: return
      case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
      case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
      case UInt8(ascii: "]"), UInt8(ascii: "}"): guard open.popLast() == byte else { throw .wrongBracket(line: line) }
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let text = bare()
        guard isTime(text) else { throw .wrongTime(line: line) }
        dots += text.utf8.count { $0 == UInt8(ascii: ".") }
        guard dots < Self.mostParts else { throw .deepKey(line: line) }
        continue
      case UInt8(ascii: "."): dots += 1
      case UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0x20..<0x7F: break
      default: throw .strayCharacter(line: line)
      }
      advance()
    }
  }

  /// Skips text that may be an unquoted key, a number, a date or a time, and returns it.
  private mutating func bare() -> Substring {
    let start = position
    while let byte = current, !",]}=#\r\n".utf8.contains(byte) { advance() }
    return String(decoding: bytes[start..<position], as: UTF8.self)[...]
  }

  /// Returns true for a text without a colon, and for a time in TOML's form, alone or after a date.
  private func isTime(_ text: Substring) -> Bool {
    let trimmed = text.prefix { $0 != "\t" }.reversed().drop { $0 == " " }.reversed()
    return !text.contains(":")
      || String(trimmed).wholeMatch(
        of: /(\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?/.asciiOnlyDigits()) != nil
  }

  /// True if a key comes next.
  var isAtKey: Bool { current.map { Self.isBare($0) || "\"'".utf8.contains($0) } ?? false }

  /// The maximum number of parts of a key. toml++ makes a nested table of each part.
  static let mostParts = 64

  /// Skips a key, bare or quoted, and returns the number of its parts between dots.
  mutating func skipKey() -> Int {
    var count = 0
    repeat {
      count += 1
      skipBlanks()
      switch current {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted()
      default: while let byte = current, Self.isBare(byte) { advance() }
      }
    } while skip(".")
    return count
  }

  /// Skips a string of any of the four kinds.
  private mutating func skipQuoted() {
    guard let quote = current else { return }
    let literal = quote == UInt8(ascii: "'")
    var opening = 0
    while current == quote && opening < 3 {
      advance()
      opening += 1
    }
    // Two quotes are an empty string; three begin a multi-line string.
    if opening == 2 { return }
    while let byte = current {
      if byte == UInt8(ascii: "\n") && opening == 1 { break }  // not closed, so this is not TOML
      if byte == UInt8(ascii: "\\") && !literal {
        advance()
      } else if byte == quote && closes(quote, opening) {
        break
      }
      advance()
    }
    for _ in 0..<opening { advance() }
  }

  /// Returns true if the closing quotes are here, as many as opened the string. Up to two more may come before the closing three.
  private func closes(_ quote: UInt8, _ count: Int) -> Bool {
    guard bytes[position...].prefix(count).count(where: { $0 == quote }) == count else { return false }
    return count == 1 || position + count >= bytes.count || bytes[position + count] != quote
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
