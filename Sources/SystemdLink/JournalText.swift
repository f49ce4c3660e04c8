import Glibc

/// Writes entries as lines of text: `2026-11-21T03:15:02.123Z warning: MESSAGE FIELD=value …`.
enum JournalText {
  /// The line for an entry, with its line break.
  static func line(_ entry: JournalEntry, form: JournalOutput.TextForm) -> String {
    var line =
      switch form {
      case .people: "\(time(entry.sentAt)) \(word(entry.priority)): "
      case .stream: "<\(entry.priority.rawValue)>"
      }
    var start = 0
    for (index, end) in entry.ends.enumerated() {
      let field = entry.bytes[start..<Int(end)]
      start = Int(end)
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = field[(equals + 1)...]
      if index == 0 {
        line += SafeText.escape(value)
        continue
      }
      let name = String(decoding: field[..<equals], as: UTF8.self)
      if hidden.contains(name) { continue }
      line += " \(name)=\(SafeText.quote(value))"
    }
    return line + "\n"
  }

  /// Writes a line; it blocks while nobody reads. 0, or the errno.
  static func write(_ line: String, to descriptor: Int32) -> Int32 {
    var line = line
    return line.withUTF8 { bytes -> Int32 in
      var done = 0
      while done < bytes.count {
        let count = unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          // Whoever shares the descriptor made it non-blocking: wait here until it takes more.
          var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          unsafe poll(&wanted, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// What people need no sight of in a line.
  private static let hidden: Set<String> = [
    JournalFieldName.priority.text, JournalFieldName.messageID.text, JournalFieldName.codeFile.text,
    JournalFieldName.codeLine.text,
  ]

  private static func word(_ priority: JournalEntry.Priority) -> String { "\(priority)" }

  private static func time(_ microseconds: Int64) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = unsafe tm()
    guard unsafe gmtime_r(&seconds, &parts) != nil else { return "-" }
    let date = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let time = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    let thousandths = String(1000 + microseconds / 1000 % 1000).dropFirst()
    return "\(date)T\(time).\(thousandths)Z"
  }

  private static func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
}
