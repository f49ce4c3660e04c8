import ArgumentParser
import Daemon

#if canImport(Glibc)
  import Glibc
#endif

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

  func run() async throws {
    let status = await Daemon.run(configuration: config)
    throw ExitCode(status.rawValue)
  }
}
