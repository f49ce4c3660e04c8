import ControlAPI
import LinuxFiles

/// The output of the command.
enum Output {
  /// A line on standard output.
  static func line(_ text: String = "") { print(text) }

  /// A line on standard error, with the program's name before it.
  static func error(_ text: String) { plainError("waybill: " + text) }

  /// A line on standard error, unchanged, for text that names its own place.
  static func plainError(_ text: String) {
    var standardError = StandardError()
    print(text, to: &standardError)
  }

  /// A question on standard error, without a line end.
  static func prompt(_ text: String) {
    var standardError = StandardError()
    print(text, terminator: "", to: &standardError)
  }

  /// A message as one JSON document.
  static func json(_ message: some Encodable) throws {
    print(terminalSafe(String(decoding: try ControlJSON.encode(message), as: UTF8.self)))
  }

  /// The same JSON, with `\uHHHH` for characters that JSON allows but a terminal would act on: DEL, the second set of control
  /// characters, and marks that change the direction of writing. They can occur only in strings.
  static func terminalSafe(_ json: String) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
      // Most of it is ASCII; looking up the category of each character took a third of the time of a long list.
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
