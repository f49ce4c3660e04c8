import ControlAPI
import LinuxFiles

/// What the command writes.
enum Output {
  /// A line on standard output.
  static func line(_ text: String = "") { print(text) }

  /// A line on standard error, with the program's name before it.
  static func error(_ text: String) { plainError("waybill: " + text) }

  /// A line on standard error as it is, for what names its place itself.
  static func plainError(_ text: String) {
    var standardError = StandardError()
    print(text, to: &standardError)
  }

  /// A question on standard error, without an end of line.
  static func prompt(_ text: String) {
    var standardError = StandardError()
    print(text, terminator: "", to: &standardError)
  }

  /// A message as one JSON document.
  static func json(_ message: some Encodable) throws {
    print(terminalSafe(String(decoding: try ControlJSON.encode(message), as: UTF8.self)))
  }

  /// The same JSON, with `\uHHHH` for what JSON may hold as it is and a terminal would obey: DEL, the second set of
  /// control characters, marks that turn the writing round. They can only stand in strings.
  static func terminalSafe(_ json: String) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
      // Most of it is ASCII; to look up each letter's category took a third of the time of a long list.
      if (0x20..<0x7F).contains(scalar.value) {
        safe.append(scalar)
        continue
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          safe.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        }
      default: safe.append(scalar)
      }
    }
    return String(safe)
  }
}
