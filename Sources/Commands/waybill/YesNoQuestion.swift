import ArgumentParser
import CommandParts

/// The question that a command asks before it does something that cannot be undone.
enum YesNoQuestion {
  /// Asks y/N at the terminal.
  /// - Parameter rule: when the command asks, to follow `asks first`; empty if it always does.
  /// - Throws: ``CommandFailure``, with status 1 after a no and 64 without a terminal.
  static func ask(
    _ question: String, before command: String, rule: String = "", otherwise: String
  ) throws {
    guard Terminal.canAsk else {
      throw CommandFailure.usage("\(command) asks first\(rule); without a terminal it needs --yes")
    }
    Output.prompt("\(question) [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw CommandFailure(words: otherwise) }
  }
}
