import ArgumentParser
import CommandParts
import Jobs
import Settings

/// The word that a person most probably meant.
enum Suggestion {
  /// Returns the nearest of the known words; nil if none is near.
  static func of(_ word: String, among known: [String]) -> String? {
    EditDistance.nearest(to: word.lowercased(), among: known, joining: "-")
  }
}

/// A word that is no subcommand, with the one that was meant.
enum UnknownCommand {
  /// Returns the failure if the arguments name an unknown subcommand; nil if the parser has to look.
  ///
  /// Without this the parser calls the word an unexpected argument, and suggests nothing.
  static func failure(_ arguments: [String], of root: any ParsableCommand.Type) -> CommandFailure? {
    var command = root
    var path = [command.configuration.commandName ?? ""]
    var rest = arguments[...]
    // help takes the words that the command itself takes.
    if rest.first == "help" { rest = rest.dropFirst() }
    while !command.configuration.subcommands.isEmpty, let word = rest.popFirst(), !word.hasPrefix("-") {
      let known = command.configuration.subcommands
      guard let next = known.first(where: { names($0).contains(word) }) else {
        let words = known.flatMap { names($0) }
        return CommandFailure.usage(sentence(word, words, after: path))
      }
      path.append(word)
      command = next
    }
    return nil
  }

  private static func names(_ command: any ParsableCommand.Type) -> [String] {
    // Without an explicit name, the name of a command is that of its type.
    [command.configuration.commandName ?? String(describing: command).lowercased()] + command.configuration.aliases
  }

  private static func sentence(_ word: String, _ known: [String], after path: [String]) -> String {
    let shown = "'\(DisplayText.escape(word))' is no command"
    let all = "see \(path.joined(separator: " ")) --help"
    guard let meant = Suggestion.of(word, among: known) else { return "\(shown); \(all)" }
    return "\(shown); did you mean '\((path + [meant]).joined(separator: " "))'? For all commands \(all)"
  }
}
