import ArgumentParser
import ControlAPI

/// `waybill confirm`
struct ConfirmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Answer a question with yes: retry the failed step now.",
    discussion: "Also has a job that waits for a time, a key or the network tried at once.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: "Take this link for the upload, and go on with the registration. For one job at step upload.")
  var link: String?

  func validate() throws {
    guard link == nil || selection.jobs.count == 1 else { throw ValidationError("--link needs exactly one job.") }
  }

  func run() async throws {
    try await Command.confirm(link: link).carryOut(on: selection, over: try connection.client())
  }
}
