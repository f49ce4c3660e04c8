import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import Glibc
import Jobs
import Linux
import PostgreSQL
import Settings
import SystemdLink

/// The fleet's program: the agent of a host, and the server for those who look after many hosts.
@main
struct WaybillFleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waybill-fleet",
    abstract: "Many hosts with Waybill: one place to look and to answer.",
    discussion: """
      Each host has its own daemon and works by itself. Its agent keeps a copy of what waits there in a PostgreSQL \
      database, and carries out the commands that people ask for. waybill-fleet web serves the copies of all hosts as a \
      daemon serves its own ledger: look and answer in a browser, or by waybill --socket.

      Exit status: 0 done; 64 usage error; 69 the database does not answer; 77 not permitted; 78 configuration error.
      """,
    version: "waybill-fleet \(WaybillVersion.current)",
    subcommands: [AgentCommand.self, WebCommand.self, MigrateCommand.self, CheckCommand.self])

  static func main() async {
    await run(Array(CommandLine.arguments.dropFirst())) { error in
      switch error {
      case let failure as CommandFailure: failure
      case let error as PostgreSQLError:
        CommandFailure(status: error.isOfRights ? .notPermitted : .unavailable, words: "the database: \(error)")
      case let error as FleetSchema.Unfit: CommandFailure(status: .unavailable, words: error.description)
      case let error as ConfigurationError:
        CommandFailure(status: error.mayPass ? .unavailable : .configuration, words: error.description)
      default: nil
      }
    }
  }

  static func serve(_ notifier: ServiceNotifier, _ run: @escaping @Sendable () async throws -> Void) async throws {
    let signals = try CaughtSignals([SIGTERM, SIGINT], ignored: true).stream()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await run() }
        group.addTask { for await _ in signals { break } }
        defer {
          notifier.stopping()
          group.cancelAll()
        }
        try await group.next()
      }
    } catch {
      throw CommandFailure(status: .unavailable, words: "\(error)")
    }
  }
}

struct FleetOptions: ParsableArguments {
  @Option(help: .config, completion: .file(extensions: ["toml"])) var config = "/etc/waybill/fleet.toml"

  @Option(
    help: ArgumentHelp(
      "The database, as for libpq, instead of the configured one.",
      valueName: "database"))
  var database: String?

  func settings() throws -> FleetSettings {
    if let database { return FleetSettings(database: database) }
    return try FleetSettings.load(path: config)
  }

  func session() throws -> PostgreSQLSession { try PostgreSQLSession(try settings().database) }
}
