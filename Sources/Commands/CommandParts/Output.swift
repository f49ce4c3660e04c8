package import ControlAPI
import Linux

package enum Output {
  private static let program = CommandLine.arguments.first?.split(separator: "/").last ?? "waybill"

  package static func line(_ text: String = "") { print(text) }

  /// Writes a text on standard error, in lines that fit the terminal, for text that names its source itself.
  package static func plainError(_ text: String) {
    var standardError = StandardError()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      print(Terminal.standardError.lines(String(line), indent: 2).joined(separator: "\n"), to: &standardError)
    }
  }

  /// A line on standard error, with the program's name before it.
  package static func error(_ text: String) { plainError("\(program): \(text)") }

  package static func prompt(_ text: String) {
    var standardError = StandardError()
    print(text, terminator: "", to: &standardError)
  }

  package static func json(_ message: some JSONMessage) { json(message.json()) }

  package static func json(_ bytes: [UInt8]) {
    print(TerminalSafe.json(String(decoding: bytes, as: UTF8.self)))
  }

  package static func folded(_ text: String, _ style: Terminal.Style = .plain) {
    for line in Terminal.standardOutput.lines(text, style, indent: 2) { print(line) }
  }
}

/// Output that a terminal does not act on.
package enum TerminalSafe {
  /// Returns JSON with `\uHHHH` for characters that JSON allows but a terminal would act on: DEL, the second set of control
  /// characters, and marks that change the direction of writing. They can occur only in strings.
  package static func json(_ json: String) -> String {
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
