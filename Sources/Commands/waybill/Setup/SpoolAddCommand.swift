import ArgumentParser
import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Settings
import Spool

/// `waybill spool`
struct SpoolCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool", abstract: "Add spools to the configuration.", subcommands: [SpoolAddCommand.self])
}

/// `waybill spool add`
struct SpoolAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make a directory a spool: directory, access, configuration and reload.",
    discussion: """
      Makes the directory with the owner, group, mode and access control list of a spool, adds a drop-in if the unit \
      needs one, writes waybill.d/NAME.toml beside the configuration, and reloads the daemon (restarts it after a \
      new drop-in). It shows the equivalent commands. It asks before it changes a directory of somebody else or \
      sends files that are already there. With --set after=keep the directory stays unchanged.

      It overwrites nothing, and removes the new file if the daemon refuses it. It runs as root, also without a \
      daemon. Exit status: 1 something is in the way; 64 an argument is wrong; 77 not root; 78 the configuration \
      would have an error.
      """)

  @Argument(help: ArgumentHelp("The directory, as an absolute path.", valueName: "path"), completion: .directory)
  var path: String
  @Option(
    help: ArgumentHelp("The name of the spool. Default: the last part of the path.", valueName: "name"))
  var name: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A setting of waybill.toml(5), such as storage=cold or recursive=true. May be repeated.", valueName: "key=value"))
  var settings: [SettingArgument] = []
  @OptionGroup var common: SetupOptions

  func validate() throws {
    if let fault = SpoolSetup.fault(of: path) { throw ValidationError(fault) }
    // It names a file, too. The rest is checked with the configuration.
    if let name, name.hasPrefix(".") || name.contains("/") {
      throw ValidationError("The name of a spool cannot begin with a dot or have a slash in it.")
    }
  }

  func run() async throws {
    try common.requireRoot("spool add \(path)")
    let environment = ProcessInfo.processInfo.environment
    try requireConfiguration(environment)
    var place = common.place
    let before = try place.load(environment)
    let named = common.instance == nil ? environment["WAYBILL_SOCKET"].flatMap { $0.isEmpty ? nil : $0 } : nil
    place.socket = before.daemon.control ?? named ?? place.socket
    if let user = before.daemonUser(at: place.configuration) {
      place.user = UserName.of(user)
      place.group = GroupName.ofUser(place.user) ?? place.user
    }
    let name = name ?? TOMLText.spoolName(of: path)
    for spool in before.spools where spool.path == path || spool.name == name {
      throw CommandFailure(
        words: spool.path == path
          ? "\(path) is the spool \(spool.name) already"
          : "there is a spool \(name) already (\(spool.path)): choose another name with --name")
    }
    let section = TOMLText.spool(path, name: name) + settings.map { $0.line + "\n" }.joined()
    let file = SetupFile(
      path: "\(Configuration.folder(of: place.configuration))/\(name).toml",
      bytes: Array("# Made by waybill spool add.\n\(section)".utf8), group: place.group,
      remedy: "choose another name with --name")
    let added = try place.load(environment, adding: file).spools.first { $0.path == path }
    _ = try file.isThere()
    let spool = try SpoolSetup(
      path, group: common.group, archive: added?.archivePath, keepsFiles: added?.keepsFiles == true, at: place,
      sandbox: UnitSandbox(ofConfiguration: place.configuration))
    let last =
      spool.commands.contains("systemctl daemon-reload")
      ? "systemctl try-restart \(place.unit ?? "")" : "waybill\(place.option) reload"
    guard common.show(spool, [file], before: last) else { return }
    try place.requireWritable()
    let ask: (Bool) async throws -> Bool = { needsThought in
      if needsThought { try YesNoQuestion.ask("Go on?", before: "spool add", otherwise: "nothing was changed") }
      return true
    }
    try await spool.agree(yes: common.yes, Terminal.canAsk ? ask : nil)
    let needsRestart = try await spool.make()
    try file.write()
    try await takeEffect(file.path, place, needsRestart: needsRestart)
  }

  /// Throws unless the configuration is in a file.
  private func requireConfiguration(_ environment: [String: String]) throws(CommandFailure) {
    let path = common.place.configuration
    guard !FileManager.default.fileExists(atPath: path) else { return }
    guard !environment.keys.contains(where: { $0.hasPrefix("WAYBILL_SPOOL_") || $0.hasPrefix("WAYBILL_STORAGE_") })
    else {
      throw CommandFailure(
        words: "the configuration comes from the environment: set WAYBILL_SPOOL_NAME_PATH for another spool "
          + "(waybill.toml(5))")
    }
    throw CommandFailure(
      status: .configuration, words: "there is no \(path) yet: waybill init makes one, with a spool")
  }

  /// Has the daemon use the file. If the daemon refuses it, it is removed again: also the daemon's next start is with the old ones.
  private func takeEffect(_ file: String, _ place: SetupPlace, needsRestart: Bool) async throws {
    do {
      guard needsRestart, let unit = place.service else {
        return try await ReloadCommand.parse(["--socket", place.socket]).run()
      }
      Output.line("Requests in flight end first …")
      try await Program.require("systemctl", ["try-restart", unit], unit: unit)
      Output.line("\(unit) was restarted")
    } catch {
      switch CommandFailure(of: error)?.status {
      case .configuration?:
        // Ignored: then the words say what is left to do.
        let isGone = (try? FileManager.default.removeItem(atPath: file)) != nil
        throw CommandFailure(
          status: .configuration,
          words: isGone ? "\(file) was removed again" : "\(file) could not be removed: remove it")
      case .unavailable?: Output.line("no daemon runs: it takes the spool up when it starts")
      default:
        Output.error("\(file) stays. To take the spool back, remove it")
        throw error
      }
    }
  }
}

/// `KEY=VALUE` on the command line, for a setting: what was typed, in quotes unless TOML needs none.
struct SettingArgument: ExpressibleByArgument {
  /// The line of the configuration.
  let line: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    let key = argument[..<equals]
    guard key.allSatisfy({ $0.isASCII && $0.isLowercase || $0 == "_" }) else { return nil }
    let value = String(argument[argument.index(after: equals)...])
    let isPlain = value == "true" || value == "false" || Int64(value) != nil || "\"'[{".contains(value.first ?? " ")
    line = "\(key) = \(isPlain ? value : TOMLText.quoted(value))"
  }
}
