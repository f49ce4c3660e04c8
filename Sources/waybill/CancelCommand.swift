import ArgumentParser
import ControlAPI
import Jobs

/// `waybill cancel`
struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Answer a question with no, or stop a job. The file is kept.",
    discussion: "retry takes a cancelled job up again.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: "Why, for the job's history.") var reason: String?
  @Flag(help: "With --all: do not ask.") var yes = false

  func run() async throws {
    let client = try connection.client()
    if selection.all, !yes { try await askFirst(client) }
    try await Command.cancel(reason: reason).carryOut(on: selection, over: client)
  }

  private func askFirst(_ client: ControlClient) async throws {
    guard Terminal.canAsk else {
      throw ValidationError("cancel --all asks before it does anything; without a terminal it needs --yes.")
    }
    let status = try await calling { () async throws(ControlError) in try await client.status() }
    let count = status.counts.reduce(0) { $0 + ($1.key.isTerminal ? 0 : $1.value) }
    Output.prompt("Cancel \(Words.count(count, "job", "jobs"))? [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else {
      throw CommandFailure(status: ExitCode(1), words: "nothing was cancelled")
    }
  }
}
