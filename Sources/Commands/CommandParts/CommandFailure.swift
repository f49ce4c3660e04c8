package import ArgumentParser
import Linux

/// The reason why a command ends with an exit status other than 0.
package struct CommandFailure: Error {
  package var status: ExitCode
  /// The words to print; nil if they have been printed.
  package var words: String?

  package init(status: ExitCode = .failure, words: String?) {
    self.status = status
    self.words = words
  }

  /// The arguments are wrong, or cannot be used here.
  package static func usage(_ words: String) -> CommandFailure {
    CommandFailure(status: .validationFailure, words: words)
  }
}

extension ExitCode {
  /// No daemon answers, or no database (EX_UNAVAILABLE of sysexits.h).
  package static let unavailable = ExitCode(69)
  /// The caller has no right to do this (EX_NOPERM).
  package static let notPermitted = ExitCode(77)
  /// An error in the configuration (EX_CONFIG).
  package static let configuration = ExitCode(78)
}

extension AsyncParsableCommand {
  /// Parses the arguments, runs the command, and ends with the exit status of its failure.
  /// - Parameter failure: returns the failure for an error; nil for one of the argument parser.
  package static func run(_ arguments: [String], failure: (any Error) -> CommandFailure?) async {
    do {
      var command = try await asyncParseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      try StandardOutput().flush()
    } catch {
      guard let failure = failure(error) else { exit(withError: error) }
      if let words = failure.words { Output.error(words) }
      exit(withError: failure.status)
    }
  }
}
