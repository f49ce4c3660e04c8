import ArgumentParser
import ControlAPI
import Jobs

/// `waybill discard`
struct DiscardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Delete the files of aborted or cancelled jobs for good.",
    discussion: "Asks first. The jobs' records stay for as long as the configuration's history says.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var selection: SelectionOptions
  @Flag(help: "Do not ask. Needed where there is no terminal.") var yes = false

  func run() async throws {
    let client = try connection.client()
    if !yes {
      try Brake.ask(
        "Delete the \(try await files(client)) for good?", before: "discard", otherwise: "nothing was discarded")
    }
    try await Command.discard.carryOut(on: selection, over: client)
  }

  private func files(_ client: ControlClient) async throws -> String {
    // Where nobody can be asked, the brake says so without a daemon.
    guard Terminal.canAsk else { return "files" }
    switch try selection.selection() {
    case nil:
      let count = selection.jobs.count
      return count == 1 ? "file" : "files of \(count) jobs"
    case .all:
      let status = try await calling { () async throws(ControlError) in try await client.status() }
      let count = (status.counts[.aborted] ?? 0) + (status.counts[.cancelled] ?? 0)
      return "files of \(Words.count(count, "job", "jobs"))"
    case .filter, .list:
      return "files of all aborted or cancelled jobs that this finds"
    }
  }
}
