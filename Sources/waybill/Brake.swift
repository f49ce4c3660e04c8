import ArgumentParser

/// The question that a command asks before it does what cannot be taken back.
enum Brake {
  /// Asks y/N at the terminal.
  ///
  /// - Parameters:
  ///   - command: what needs `--yes` where there is no terminal.
  ///   - otherwise: what to say after a no.
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
