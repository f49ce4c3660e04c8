import ArgumentParser
import CommandParts
import Fleet

/// `waybill-fleet requests`
struct RequestsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "What became of what was asked for.",
    discussion: "A command that does not see the end of what it asked for prints the name of its request.")

  @OptionGroup var options: FleetOptions
  @Argument(
    help: ArgumentHelp("The first digits of a request; without it the newest ones are listed.", valueName: "request"))
  var name: String?
  @Option(help: ArgumentHelp("The time to wait for the hosts, in seconds.", valueName: "seconds")) var wait = 0
  @Flag(help: "What became of it, as JSON.") var json = false

  private struct Listed: Encodable {
    var request, by, role, action, meant: String
    var askedAt: String
    var progress: FleetRequest.Progress

    enum CodingKeys: String, CodingKey {
      case request, by, role, action, meant, progress
      case askedAt = "asked_at"
    }
  }

  func validate() throws {
    guard (0...3600).contains(wait) else { throw ValidationError("--wait needs a number of seconds up to 3600.") }
    if let name, name.isEmpty || !name.allSatisfy(\.isHexDigit) {
      throw ValidationError("A request is named by its first digits, as commands print them.")
    }
  }

  func run() throws {
    let session = try options.fleet()
    let found = try FleetAsked.last(session, name == nil ? 20 : 2, named: name?.lowercased())
    if let name {
      guard let request = found.first?.request else {
        throw CommandFailure(status: ExitCode(1), words: "there is no request \(name)")
      }
      guard found.count == 1 else {
        throw CommandFailure(status: ExitCode(1), words: "several requests begin with \(name): say more of its digits")
      }
      return try RequestOptions.waitFor(request, session, wait: wait, json: json)
    }
    let listed = try found.map { asked in
      Listed(
        request: asked.request.shown, by: asked.by, role: asked.role, action: asked.action, meant: asked.meant,
        askedAt: asked.at,
        progress: try asked.request.progress(session))
    }
    if json { return try Output.json(["requests": listed]) }
    if listed.isEmpty { return Output.line("Nothing was asked for.") }
    var table = Table(columns: [
      .init(heading: "REQUEST"), .init(heading: "ASKED"), .init(heading: "BY", least: 6), .init(heading: "ACTION"),
      .init(heading: "JOBS", least: 8), .init(heading: "OUTCOME", least: 16),
    ])
    table.rows = listed.map {
      [
        $0.request, $0.askedAt, Words.shown($0.by == $0.role ? $0.by : "\($0.by) (\($0.role))"), Words.shown($0.action),
        Words.shown($0.meant),
        Words.shown($0.progress.words),
      ]
      .map { .init(text: $0) }
    }
    Output.table(table)
  }
}
