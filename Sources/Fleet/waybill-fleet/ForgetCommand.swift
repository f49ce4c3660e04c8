import ArgumentParser
import CommandParts
import Fleet

/// `waybill-fleet forget`
struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Remove a host that is gone for good from the fleet.",
    discussion: """
      Nothing happens on the host. If its agent still runs, the host comes back by itself. What was asked of it before stays in \
      the list of requests, and is carried out no more.
      """)
  @OptionGroup var options: FleetOptions
  @Argument(help: ArgumentHelp("The host's name, or the uuid of its ledger.", valueName: "host")) var host: String

  func run() throws {
    let count: Int
    do {
      count = try FleetView.forget(try options.fleet(), host: host)
    } catch let ambiguous as FleetNameAmbiguous {
      throw CommandFailure(status: ExitCode(1), words: "\(ambiguous)")
    }
    guard count > 0 else { throw CommandFailure(status: ExitCode(1), words: "there is no host \(Words.shown(host))") }
    Output.line("\(Words.shown(host)) is forgotten")
  }
}
