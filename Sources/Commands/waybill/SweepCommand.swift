import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// `waybill sweep`
struct SweepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep", abstract: "Abort multipart uploads that belong to no job.",
    discussion: """
      Multipart uploads may be left over after the ledger was lost, or when a storage refuses to list them. Their \
      parts cost money and appear in no list of objects. The command lists those with keys that jobs of this \
      daemon's spools may have, and aborts them once you say so.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(help: ArgumentHelp("Only those at this storage.", valueName: "name")) var storage: String?
  @Option(help: ArgumentHelp("Only those that were begun longer ago than this, such as 2h or 7d.", valueName: "span"))
  var olderThan = "1d"
  @Flag(help: "Only list them, even with --yes.") var dryRun = false
  @Flag(help: "Abort them without asking.") var yes = false
  @Flag(help: "The answer of the control socket, as JSON.") var json = false

  func run() async throws {
    let client = try connection.client()
    if yes, !dryRun { return try show(try await sweep(client, abort: true)) }
    let found = try await sweep(client, abort: false)
    if dryRun || found.uploads.isEmpty || json { return try show(found) }
    try show(found)
    try YesNoQuestion.ask("Abort them?", before: "sweep", otherwise: "nothing was aborted")
    Output.line(DisplayText.escape(try await sweep(client, abort: true).message))
  }

  private func sweep(_ client: ControlClient, abort: Bool) async throws -> SweepAnswer {
    let body = SweepBody(storage: storage, olderThan: olderThan, abort: abort)
    return try await calling { () async throws(ControlError) in try await client.sweep(body) }
  }

  private func show(_ answer: SweepAnswer) throws {
    if json { return try Output.json(answer) }
    var table = Table(columns: [
      .init(heading: "STORAGE"), .init(heading: "BEGUN"), .init(heading: "BUCKET"), .init(heading: "KEY", least: 20),
    ])
    table.rows = answer.uploads.map { upload in
      [
        .init(text: DisplayText.escape(upload.storage)),
        .init(text: upload.initiatedAt.map { Words.time($0.timestamp) } ?? "-"),
        .init(text: DisplayText.escape(upload.bucket)), .init(text: DisplayText.escape(upload.key)),
      ]
    }
    if !table.rows.isEmpty { for line in table.lines(.standardOutput) { Output.line(line) } }
    Output.line(DisplayText.escape(answer.message))
  }
}
