import ArgumentParser
import Daemon
import FoundationEssentials
import Linux
import SystemdLink

/// The daemon in the foreground; under systemd it is `Type=notify`.
@main
struct WaybilldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waybilld",
    abstract: "Uploads files dropped into a spool and registers their links.",
    discussion: """
      Runs in the foreground until SIGTERM. Every event is an entry in the journal; without a journal it is a line \
      on standard error. See waybill(1) for the operator's command and waybill.toml(5) for the configuration.
      """,
    version: Daemon.version, subcommands: [LedgerCommand.self])

  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
  var config = "/etc/waybill/waybill.toml"
  @Option(
    help: ArgumentHelp(
      "The form of log entries: auto, or json for lines of JSON on standard error. Default: $WAYBILL_LOG_FORMAT, else auto.",
      valueName: "format"),
    transform: Self.format(named:))
  var logFormat: JournalFormat?

  /// Called before anything else, while there is one thread: the threads that it starts inherit its rights.
  @MainActor static func main() async {
    ProcessRights.keepFromPrograms()
    await main(nil)
  }

  func run() async throws {
    let status = await Daemon.run(configuration: config, log: try format())
    throw ExitCode(status.rawValue)
  }

  private func format() throws -> JournalFormat {
    if let logFormat { return logFormat }
    guard let name = ProcessInfo.processInfo.environment["WAYBILL_LOG_FORMAT"], !name.isEmpty else { return .auto }
    return try Self.format(named: name)
  }

  private static func format(named name: String) throws -> JournalFormat {
    guard let format = JournalFormat(rawValue: name) else {
      throw ValidationError("There is no log format \"\(name)\": it may be auto or json.")
    }
    return format
  }
}
