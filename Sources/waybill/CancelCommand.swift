import ArgumentParser
import ControlAPI
import Jobs

/// `waybill cancel`
struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Answer a question with no, or stop a job. The file is kept.",
    discussion: """
      retry takes a cancelled job up again. What is at the storage stays there, unless --remove is given: then the job's \
      own object is deleted, and a retry uploads it again. It is not lost where the storage is away: it is done later.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Option(help: "Why, for the job's history.") var reason: String?
  @Flag(help: "Delete the object too, if it is the job's own.") var remove = false
  @Flag(help: "With --all: do not ask.") var yes = false

  func run() async throws {
    let client = try connection.client()
    if selection.all, !yes { try await askFirst(client) }
    try await Command.cancel(reason: reason, remove: remove).carryOut(on: selection, over: client)
  }

  private func askFirst(_ client: ControlClient) async throws {
    let status = try await calling { () async throws(ControlError) in try await client.status() }
    let count = status.counts.reduce(0) { $0 + ($1.key.isTerminal ? 0 : $1.value) }
    try Brake.ask(
      "Cancel \(Words.count(count, "job", "jobs"))\(remove ? " and delete what is uploaded of them" : "")?",
      before: "cancel --all", otherwise: "nothing was cancelled")
  }
}
