import ArgumentParser
import ControlAPI
import Jobs

/// `waybill confirm`
struct ConfirmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Answer a question with yes: retry the failed step now.",
    discussion: """
      Also retries a job that waits for a time, a key or the network.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp(
      """
      Use this absolute URI instead of an upload, and continue with the registration. Only for one job at step \
      upload.
      """,
      valueName: "url"))
  var link: String?

  func validate() throws {
    guard link == nil || selection.jobs.count == 1 else { throw ValidationError("--link needs exactly one job.") }
  }

  func run() async throws {
    try await JobCommand.confirm(link: link).carryOut(on: selection, over: try connection.client())
  }
}
