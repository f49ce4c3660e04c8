/// Makes text from outside (file names, answers of servers) safe for a terminal and for a line of a log.
public enum DisplayText {
  /// Escapes control and invisible format characters, and bytes that are not UTF-8.
  public static func escape(_ bytes: [UInt8]) -> String {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(decoding: bytes, as: UTF8.self) }
    return FileName.walk(bytes, append)
  }

  /// Escapes control and invisible format characters.
  public static func escape(_ text: String) -> String { escape(Array(text.utf8)) }

  static func hexEscape(_ byte: UInt8) -> String { "\\x" + Hex.text(CollectionOfOne(byte)) }

  private static func append(_ out: inout String, _ scalar: Unicode.Scalar) {
    switch scalar.properties.generalCategory {
    case .control where scalar == "\n": out += "\\n"
    case .control where scalar == "\t": out += "\\t"
    case .control where scalar == "\r": out += "\\r"
    case .control where scalar.value < 0x80: out += hexEscape(UInt8(scalar.value))
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      out += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: out.unicodeScalars.append(scalar)
    }
  }
}
