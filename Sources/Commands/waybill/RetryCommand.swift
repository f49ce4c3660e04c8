import ArgumentParser
import ControlAPI
import Jobs

/// `waybill retry`
struct RetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Queue aborted, cancelled or waiting jobs again.",
    discussion: """
      A job continues at the step that it had reached; a finished upload is not repeated. --all takes the aborted \
      jobs. Name cancelled jobs, and jobs with a question, by number or --state.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions

  func run() async throws {
    try await JobCommand.retry.carryOut(on: selection, over: try connection.client())
  }
}
