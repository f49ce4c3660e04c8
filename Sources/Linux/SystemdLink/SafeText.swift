/// Escapes any text so that it is safe within one line of a terminal or a log.
enum SafeText {
  /// Escapes characters that move the cursor, end the line or change the writing direction, and bytes that are not UTF-8.
  static func escape(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy(isPrintable) { return String(decoding: bytes, as: UTF8.self) }
    var out = ""
    var decoder = UTF8()
    var rest = bytes[...]
    while let byte = rest.first {
      var iterator = rest.makeIterator()
      decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        append(scalar, to: &out)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        out += "\\x" + hex(byte)
        rest = rest.dropFirst()
      }
    }
    return out
  }

  /// The same as `escape`, in quotes if a reader could otherwise not see where the value ends.
  static func quote(_ bytes: some Collection<UInt8>) -> String {
    let plain = !bytes.isEmpty && bytes.allSatisfy(mayStandAlone)
    let text = escape(bytes)
    if plain { return text }
    var quoted = "\""
    for character in text {
      if character == "\"" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "\""
  }

  /// Appends the result of `escape`.
  static func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
    if bytes.allSatisfy(isPrintable) {
      line += bytes
    } else {
      line += escape(bytes).utf8
    }
  }

  /// Appends the result of `quote`.
  static func appendQuoted(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
    if !bytes.isEmpty, bytes.allSatisfy({ isPrintable($0) && mayStandAlone($0) }) {
      line += bytes
    } else {
      line += quote(bytes).utf8
    }
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  /// Returns true if this byte, within a value, does not require quotes.
  private static func mayStandAlone(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func append(_ scalar: Unicode.Scalar, to out: inout String) {
    switch scalar.properties.generalCategory {
    case .control where scalar == "\n": out += "\\n"
    case .control where scalar == "\t": out += "\\t"
    case .control where scalar == "\r": out += "\\r"
    case .control where scalar.value < 0x80: out += "\\x" + hex(UInt8(scalar.value))
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      out += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: out.unicodeScalars.append(scalar)
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
