import CommandParts
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
    print(TerminalSafe.json(String(decoding: try ControlJSON.encode(message), as: UTF8.self)))
  }
}
