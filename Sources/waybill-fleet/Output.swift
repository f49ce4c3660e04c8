import ControlAPI
import FoundationEssentials
import Jobs
import LinuxFiles

/// The output of the command.
enum Output {
  /// A line on standard output.
  static func line(_ text: String = "") { print(text) }

  /// A line on standard error, with the program's name before it.
  static func error(_ text: String) { plainError("waybill-fleet: " + text) }

  /// The priorities of a line for the journal (sd-daemon(3)).
  enum Priority: Int { case warning = 4, info = 6 }

  /// A line of a service: for the journal with its priority, which knows the program's name, or else as an error is.
  static func log(_ priority: Priority, _ text: String) {
    let isJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil
    let line = DisplayText.escape(text)
    if isJournal { plainError("<\(priority.rawValue)>\(line)") } else { error(line) }
  }

  /// A line on standard error, unchanged.
  static func plainError(_ text: String) {
    var standardError = StandardError()
    print(text, to: &standardError)
  }

  /// A question on standard error, without a line end.
  static func prompt(_ text: String) {
    var standardError = StandardError()
    print(text, terminator: "", to: &standardError)
  }

  /// A message as one JSON document. Everything outside ASCII that a terminal would act on is escaped: it can only be in strings.
  static func json(_ message: some Encodable) throws {
    var safe = ""
    for scalar in String(decoding: try ControlJSON.encode(message), as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: safe.unicodeScalars.append(scalar)
      }
    }
    print(safe)
  }

  /// Rows in columns, each as wide as it needs to be. The texts are escaped already.
  static func table(_ headings: [String], _ rows: [[String]]) {
    let widths = headings.indices.map { column in
      ([headings] + rows).map { $0[column].count }.max() ?? 0
    }
    for row in [headings] + rows {
      var line = ""
      for (column, text) in row.enumerated() {
        line += text
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - text.count + 2) }
      }
      print(line)
    }
  }
}
