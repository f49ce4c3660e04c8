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
    print(String(decoding: try ControlJSON.encode(message), as: UTF8.self))
  }
}
