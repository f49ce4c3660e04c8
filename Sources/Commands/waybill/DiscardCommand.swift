import ArgumentParser
import ControlAPI
import Jobs

/// `waybill discard`
struct DiscardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Delete the files of aborted or cancelled jobs for good.",
    discussion: "Asks first. The jobs' records stay for as long as the setting history says.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions

  func run() async throws {
    try await JobCommand.discard.carryOut(on: selection, over: try connection.client())
  }
}
