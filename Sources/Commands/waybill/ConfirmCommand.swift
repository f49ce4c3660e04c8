import ArgumentParser
import ControlAPI
import Jobs

/// `waybill confirm`
struct ConfirmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Answer a question with yes: retry the failed step now.",
    discussion: """
      Also works for a job that waits for a time, a key or the network: it is tried at once. With --link the job \
      uses this link instead of an upload, and goes on with the registration.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp(
      "Use this absolute URI instead of an upload, and go on with the registration. Only for one job at step upload.",
      valueName: "url"))
  var link: String?

  func validate() throws {
    guard link == nil || selection.jobs.count == 1 else { throw ValidationError("--link needs exactly one job.") }
  }

  func run() async throws {
    try await JobCommand.confirm(link: link).carryOut(on: selection, over: try connection.client())
  }
}
