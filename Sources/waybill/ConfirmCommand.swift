import ArgumentParser
import ControlAPI

/// `waybill confirm`
struct ConfirmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Answer a question with yes: retry the failed step now.",
    discussion: """
      Also has a job that waits for a time, a key or the network tried at once. With --link, the link is taken for the \
      upload, and the job goes on with the registration.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp(
      "Take this absolute URI for the upload, and go on with the registration. For one job at step upload.",
      valueName: "url"))
  var link: String?

  func validate() throws {
    guard link == nil || selection.jobs.count == 1 else { throw ValidationError("--link needs exactly one job.") }
  }

  func run() async throws {
    try await Command.confirm(link: link).carryOut(on: selection, over: try connection.client())
  }
}
