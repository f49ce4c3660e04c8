import Messages

/// Writes entries as lines of JSON, in the form of `journalctl -o json` (systemd's Journal Export Formats): each value is a
/// string, or an array of bytes if it is not UTF-8.
enum JournalJSON {
  /// The line for an entry, with its line break. `__REALTIME_TIMESTAMP` is in microseconds since 1970, as in journald's.
  static func line(_ entry: JournalEntry, identifier: String) -> [UInt8] {
    var text = JSONText(capacity: entry.bytes.count + 160)
    text.object { text in
      text.member("__REALTIME_TIMESTAMP", String(entry.sentAt))
      text.member(JournalFieldName.identifier.text, identifier)
      var start = 0
      for end in entry.ends {
        let field = entry.bytes[start..<Int(end)]
        start = Int(end)
        guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
        text.key(String(decoding: field[..<equals], as: UTF8.self))
        let value = field[(equals + 1)...]
        if let words = String(validating: value, as: UTF8.self) {
          text.value(words)
        } else {
          text.array { text in for byte in value { text.value(Int64(byte)) } }
        }
      }
    }
    return text.bytes + [UInt8(ascii: "\n")]
  }
}
