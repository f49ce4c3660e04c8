import ArgumentParser

/// The question that a command asks before it does something that cannot be undone.
enum Brake {
  /// Asks y/N at the terminal.
  ///
  /// - Parameters:
  /// - command: the command that needs `--yes` if there is no terminal.
  /// - otherwise: the words to print after a no.
  /// - Throws: ``CommandFailure`` with status 1 after a no; `ValidationError` without a terminal.
  static func ask(_ question: String, before command: String, otherwise: String) throws {
    guard Terminal.canAsk else {
      throw ValidationError("\(command) asks before it does anything; without a terminal it needs --yes.")
    }
    Output.prompt("\(question) [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw CommandFailure(status: ExitCode(1), words: otherwise) }
  }
}
