import CommandParts
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

  /// A message as one JSON document.
  static func json(_ message: some Encodable) throws {
    print(TerminalSafe.json(String(decoding: try ControlJSON.encode(message), as: UTF8.self)))
  }

  /// A text in lines that fit the terminal.
  static func folded(_ text: String, indent: Int = 2) {
    for line in Folded.lines(text, width: Terminal.standardOutput.columns, indent: indent) { print(line) }
  }

  /// A table that fits the terminal. The texts are escaped already.
  static func table(_ table: Table) {
    for line in table.lines(.standardOutput) { print(line) }
  }
}

extension Words {
  /// A text from a far side, with everything escaped that a terminal would act on.
  static func shown(_ text: String) -> String { DisplayText.escape(text) }
}
