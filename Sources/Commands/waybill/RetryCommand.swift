import ArgumentParser
import ControlAPI
import Jobs

/// `waybill retry`
struct RetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Queue aborted, cancelled or waiting jobs again.",
    discussion: """
      A job goes on at the step that it had reached; a finished upload is not repeated.

      With --all the command takes the aborted jobs. Cancelled jobs and jobs with a question must be named: by \
      number, or by --state cancelled or --state awaiting-confirmation.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions

  func run() async throws {
    try await JobCommand.retry.carryOut(on: selection, over: try connection.client())
  }
}
