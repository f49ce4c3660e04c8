package import ControlAPI
import Linux

/// The output of a command. Each program adds its own form of an error.
package enum Output {
  /// A line on standard output.
  package static func line(_ text: String = "") { print(text) }

  /// Writes a text on standard error, in lines that fit the terminal, for text that names its source itself.
  package static func plainError(_ text: String) {
    var standardError = StandardError()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = Folded.lines(String(line), width: Terminal.standardError.columns, indent: 2)
      print(parts.joined(separator: "\n"), to: &standardError)
    }
  }

  /// A question on standard error, without a line end.
  package static func prompt(_ text: String) {
    var standardError = StandardError()
    print(text, terminator: "", to: &standardError)
  }

  /// A message as one JSON document.
  package static func json(_ message: some JSONMessage) { json(message.json()) }

  /// JSON as one document.
  package static func json(_ bytes: [UInt8]) {
    print(TerminalSafe.json(String(decoding: bytes, as: UTF8.self)))
  }

  /// A text in lines that fit the terminal.
  package static func folded(_ text: String, indent: Int = 2) {
    for line in Folded.lines(text, width: Terminal.standardOutput.columns, indent: indent) { print(line) }
  }

  /// A table that fits the terminal. The texts are escaped already.
  package static func table(_ table: Table) {
    for line in table.lines(.standardOutput) { print(line) }
  }
}
