/// Writes entries as lines of JSON, in the form of `journalctl -o json` (systemd's Journal Export Formats): each value is a
/// string, or an array of bytes if it is not UTF-8.
enum JournalJSON {
  /// The line for an entry, with its line break. `__REALTIME_TIMESTAMP` is in microseconds since 1970, as in journald's.
  static func line(_ entry: JournalEntry, identifier: String) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(entry.bytes.count + 160)
    line += #"{"__REALTIME_TIMESTAMP":""#.utf8
    line += String(entry.sentAt).utf8
    line += #"","\#(JournalFieldName.identifier.text)":"#.utf8
    append(Array(identifier.utf8)[...], to: &line)
    var start = 0
    for end in entry.ends {
      let field = entry.bytes[start..<Int(end)]
      start = Int(end)
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
      // Names consist of letters, digits and underscores, so they need no escaping.
      line += #",""#.utf8
      line += field[..<equals]
      line += #"":"#.utf8
      append(field[(equals + 1)...], to: &line)
    }
    line += "}\n".utf8
    return line
  }

  private static func append(_ value: ArraySlice<UInt8>, to line: inout [UInt8]) {
    guard String(validating: value, as: UTF8.self) != nil else {
      line += "[\(value.map(String.init).joined(separator: ","))]".utf8
      return
    }
    line.append(UInt8(ascii: "\""))
    for byte in value {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        line.append(UInt8(ascii: "\\"))
        line.append(byte)
      case UInt8(ascii: "\n"): line += #"\n"#.utf8
      case UInt8(ascii: "\t"): line += #"\t"#.utf8
      case 0..<0x20, 0x7F:
        line += #"\u00"#.utf8
        line += [byte >> 4, byte & 0xF].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
      default: line.append(byte)
      }
    }
    line.append(UInt8(ascii: "\""))
  }
}
