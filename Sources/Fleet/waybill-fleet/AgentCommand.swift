import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import FoundationEssentials
import HTTPTransfer
import PostgreSQL
import Settings
import SystemdLink

struct AgentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent", abstract: "Copy this host's ledger to the database, and carry out commands from there.",
    discussion: """
      Runs until SIGTERM. The unit is waybill-fleet.service.
      """)

  @Option(help: .config, completion: .file(extensions: ["toml"])) var config = "/etc/waybill/fleet.toml"

  func run() async throws {
    let settings = try FleetSettings.load(path: config)
    let notifier = ServiceNotifier { Output.error("\($0)") }
    let agent = FleetAgent(settings, name: settings.name ?? ProcessInfo.processInfo.hostName) { report in
      switch report {
      case .works(let words):
        Output.log(.info, words)
        notifier.status(words)
      case .trouble(let words):
        Output.log(.warning, words)
        notifier.status(words)
      case .progress: notifier.watchdog()
      }
    }
    try await WaybillFleet.serve(notifier) {
      notifier.ready(status: "looks for the daemon and the database")
      try await agent.run()
    }
  }
}

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Make the fleet's tables, or bring them to this version.",
    discussion: """
      Run it after each upgrade, as the owner of the database, who may create roles. Agents may run meanwhile.
      """)

  @OptionGroup var options: FleetOptions
  @Option(
    help: ArgumentHelp("Drop events and finished commands that are older than so many days.", valueName: "days"))
  var retain: Int?

  func validate() throws {
    if let retain, !(1...100_000).contains(retain) { throw ValidationError("--retain needs a number of days.") }
  }

  func run() throws {
    for line in try FleetSchema.migrate(try options.session(), forgettingBefore: retain) { Output.line(line) }
  }
}

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the configuration, the way to the database and the daemon.")

  @OptionGroup var options: FleetOptions

  func run() async throws {
    let settings = try options.settings()
    let session = try PostgreSQLSession(settings.database)
    try FleetSchema.require(session)
    try FleetSchema.requireOwnFunctions(session)
    let role = try session.query(
      """
      SELECT current_user, pg_has_role(current_user, '\(FleetSchema.hosts)', 'MEMBER'),
        pg_has_role(current_user, '\(FleetSchema.operators)', 'MEMBER'),
        pg_has_role(current_user, '\(FleetSchema.viewers)', 'MEMBER')
      """
    ).first
    let groups = [(1, "a host"), (2, "an operator"), (3, "a viewer")].filter { role?.flag($0.0) ?? false }.map(\.1)
    let name = role?.text(0) ?? ""
    guard !groups.isEmpty else {
      throw CommandFailure(status: .notPermitted, words: "role \(name) may do nothing: GRANT it a group")
    }
    Output.line("database: role \(name) is \(groups.joined(separator: " and "))")
    // a host's agent acts for people elsewhere
    let acts = groups.contains("a host") && !settings.allow.isEmpty
    let client = ControlClient(socket: settings.socket, transport: try Transport(maxConnections: 1))
    do throws(ControlError) {
      let identity = try await client.status(for: acts ? FleetPerson("check") : nil).identity
      Output.line("daemon: answers, ledger \(identity?.uuid ?? "without a name: waybilld is too old")")
      if acts { Output.line("commands: the daemon takes them from this user") }
    } catch {
      if case .problem = error { throw CommandFailure(status: .notPermitted, words: "daemon: \(error)") }
      Output.line("daemon: \(error)")
    }
  }
}
