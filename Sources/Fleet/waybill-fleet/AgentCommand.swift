import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import FoundationEssentials
import Glibc
import HTTPTransfer
import Linux
import PostgreSQL
import Settings
import SystemdLink

/// `waybill-fleet agent`
struct AgentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent", abstract: "Copy this host's ledger to the database, and carry out commands from there.",
    discussion: """
      Runs until SIGTERM. The unit is waybill-fleet.service.
      """)

  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = "/etc/waybill/fleet.toml"

  func run() async throws {
    let settings = try FleetSettings.load(path: config)
    let (session, lock) = try Self.session(ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"])
    defer { withExtendedLifetime(lock) {} }
    let notifier = ServiceNotifier { Output.error("\($0)") }
    let agent = FleetAgent(
      settings, name: settings.name ?? ProcessInfo.processInfo.hostName, session: session
    ) { report in
      switch report {
      case .begun(let words), .over(let words):
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

  /// Returns the name of this host's agent, which is the same at each start, and the lock that lets only one process use it.
  ///
  /// The name is in the runtime directory (`$RUNTIME_DIRECTORY`), which is in memory: a copy of the disk does not have it.
  private static func session(_ directory: String?) throws -> (String, FileLock?) {
    let fresh = String(UInt64.random(in: .min ... .max), radix: 16)
    guard let path = directory?.split(separator: ":").first.map(String.init) else { return (fresh, nil) }
    let folder = try Directory(path: path)
    let lock: FileLock
    do throws(FileLock.Refusal) {
      lock = try FileLock(in: folder, Array("agent.lock".utf8))
    } catch {
      switch error {
      case .held(let pid):
        let words = "another agent runs already" + (pid.map { ": process \($0)" } ?? "")
        throw CommandFailure(status: .unavailable, words: words)
      case .failed(let error): throw error
      }
    }
    return (try known(in: folder) ?? fresh, lock)

    /// Reads the name; writes the fresh one if there is none.
    func known(in folder: Directory) throws(FileError) -> String? {
      let name = Array("session".utf8)
      do throws(FileError) {
        let bytes = try folder.openOurs(name).read(at: 0, count: 64)
        if !bytes.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      } catch {
        guard error.code == "ENOENT" else { throw error }
        try folder.create(name, permissions: 0o600).write(Array(fresh.utf8), path: "\(path)/session")
      }
      return nil
    }
  }
}

/// `waybill-fleet migrate`
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

/// `waybill-fleet check`
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the configuration, the way to the database and the daemon.")

  @OptionGroup var options: FleetOptions

  func run() async throws {
    let settings = try options.settings()
    Output.line("configuration: well formed")
    let session = try PostgreSQLSession(settings.database)
    let version = try FleetSchema.version(of: session)
    if let fault = FleetSchema.fault(version) { throw CommandFailure(status: .unavailable, words: fault) }
    let role = try session.query(
      """
      SELECT current_user, pg_has_role(current_user, '\(FleetSchema.hosts)', 'MEMBER'),
        pg_has_role(current_user, '\(FleetSchema.operators)', 'MEMBER'),
        pg_has_role(current_user, '\(FleetSchema.viewers)', 'MEMBER')
      """
    ).first
    let groups = [(1, "a host"), (2, "an operator"), (3, "a viewer")].filter { role?.flag($0.0) ?? false }.map(\.1)
    Output.line(
      "database: version \(version), role \(role?.text(0) ?? "") "
        + (groups.isEmpty ? "may do nothing: GRANT it a group" : "is \(groups.joined(separator: " and "))"))
    let open = try FleetSchema.openTables(of: session)
    for table in open {
      Output.error(
        "table \(table) is open to its owner, without FORCE ROW LEVEL SECURITY: waybill-fleet migrate closes it")
    }
    let isPublicWritable = try FleetSchema.isPublicWritable(session)
    if isPublicWritable { Output.error(FleetSchema.writablePublic) }
    guard open.isEmpty, !isPublicWritable else { throw CommandFailure(status: .unavailable, words: nil) }
    guard !groups.isEmpty else { throw CommandFailure(status: .notPermitted, words: nil) }
    let client: ControlClient
    do throws(TransferError) {
      client = ControlClient(socket: settings.socket, transport: try Transport(maxConnections: 1))
    } catch {
      return Output.line("daemon: \(error.words)")
    }
    do throws(ControlError) {
      let identity = try await client.status().identity
      Output.line("daemon: answers, ledger \(identity?.uuid ?? "without a name: waybilld is too old")")
    } catch {
      return Output.line("daemon: \(error)")
    }
    if groups.contains("a host"), !settings.allow.isEmpty { try await checkCommands(client) }
  }

  /// Finds out whether the daemon lets this user act for people elsewhere.
  private func checkCommands(_ client: ControlClient) async throws {
    do throws(ControlError) {
      _ = try await client.status(for: FleetPerson("check"))
      Output.line("commands: the daemon takes them from this user")
    } catch {
      guard case .problem = error else { return Output.line("daemon: \(error)") }
      // root administers the host, and is not its agent
      guard geteuid() != 0 else {
        return Output.line("commands: ask as the agent's user: runuser -u waybill-fleet -- waybill-fleet check")
      }
      throw CommandFailure(status: .notPermitted, words: "commands: \(error)")
    }
  }
}
