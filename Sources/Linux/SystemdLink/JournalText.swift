import Glibc

/// Writes entries as lines of text: `2026-11-21T03:15:02.123Z warning: MESSAGE FIELD=value …`.
enum JournalText {
  /// The line for an entry, with its line break, built from bytes: one is written for each job, and building a String is slow.
  static func line(_ entry: JournalEntry, form: JournalOutput.TextForm) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(entry.bytes.count + 64)
    switch form {
    case .people:
      append(time: entry.sentAt, to: &line)
      line += words[Int(entry.priority.rawValue)]
    case .json: break
    case .stream: line += "<\(entry.priority.rawValue)>".utf8
    }
    var start = 0
    for (index, end) in entry.ends.enumerated() {
      let field = entry.bytes[start..<Int(end)]
      start = Int(end)
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = field[(equals + 1)...]
      if index == 0 {
        SafeText.append(value, to: &line)
        continue
      }
      let name = field[..<equals]
      if hidden.contains(where: { $0.count == name.count && $0.elementsEqual(name) }) { continue }
      line.append(UInt8(ascii: " "))
      line += field[...equals]
      SafeText.appendQuoted(value, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// The fields that are left out of a line for people.
  private static let hidden: [[UInt8]] = [
    JournalFieldName.priority, .messageID, .codeFile, .codeLine,
  ].map { Array($0.text.utf8) }

  /// The names of the priorities, by their numbers.
  private static let words: [[UInt8]] = JournalEntry.Priority.allCases.map { Array(" \($0): ".utf8) }

  private static func append(time microseconds: Int64, to line: inout [UInt8]) {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = unsafe tm()
    guard unsafe gmtime_r(&seconds, &parts) != nil else {
      line.append(UInt8(ascii: "-"))
      return
    }
    let thousandths = Int32(microseconds / 1000 % 1000)
    for (number, digits, mark) in unsafe [
      (parts.tm_year + 1900, 4, "-"), (parts.tm_mon + 1, 2, "-"), (parts.tm_mday, 2, "T"), (parts.tm_hour, 2, ":"),
      (parts.tm_min, 2, ":"), (parts.tm_sec, 2, "."), (thousandths, 3, "Z"),
    ] as [(Int32, Int, Unicode.Scalar)] {
      var unit: Int32 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
      while unit > 0 {
        line.append(UInt8(ascii: "0") + UInt8(max(0, number / unit % 10)))
        unit /= 10
      }
      line.append(UInt8(ascii: mark))
    }
  }
}
