import ArgumentParser
import ControlAPI

/// `waybill retry`
struct RetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Queue aborted, cancelled or waiting jobs again.",
    discussion: """
      A job goes on at the step that it had reached; what was uploaded is not uploaded again.

      --all means the aborted jobs. What was cancelled, and what has a question, is taken only where it is named: by its \
      number, or by --state cancelled or --state awaiting-confirmation.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions

  func run() async throws {
    try await Command.retry.carryOut(on: selection, over: try connection.client())
  }
}
