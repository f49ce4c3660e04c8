import ArgumentParser
import CommandParts
import Fleet
import Jobs

/// `waybill-fleet pause`
struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Start nothing new, on all hosts or on one.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var target: PauseOptions
  @OptionGroup var request: RequestOptions
  func run() throws { try target.run("pause", options, request) }
}

/// `waybill-fleet resume`
struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "End a pause, on all hosts or on one.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var target: PauseOptions
  @OptionGroup var request: RequestOptions
  func run() throws { try target.run("resume", options, request) }
}

/// The target of a pause.
struct PauseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("On this host alone.", valueName: "host")) var host: String?
  @Argument(
    help: ArgumentHelp("all, intake, spool.NAME, storage.NAME or backend.NAME.", valueName: "target"))
  var target = "all"

  func run(_ action: String, _ options: FleetOptions, _ request: RequestOptions) throws {
    guard Pause.Target(fleet: target) != nil else {
      throw ValidationError("There is no target '\(target)': all, intake, spool.NAME, storage.NAME or backend.NAME.")
    }
    let session = try options.fleet()
    let asked = try FleetRequest.pause(
      session, action, target: target, host: host, by: request.asker)
    guard asked.count > 0 else { throw CommandFailure(status: ExitCode(1), words: "there is no such host") }
    try request.waitFor(asked, session)
  }
}
