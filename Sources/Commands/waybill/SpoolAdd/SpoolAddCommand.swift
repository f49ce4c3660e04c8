import ArgumentParser
import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Settings
import Spool

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
      """
      A setting of waybill.toml(5), such as storage=cold or recursive=true. May be repeated.
      """, valueName: "key=value"))
  var settings: [SettingArgument] = []
  @OptionGroup var common: SetupOptions

  func validate() throws {
    guard SpoolSetup.isPlain(path) else {
      throw ValidationError(
        "\(path) is not an absolute path: begin it with /, without //, . or .. in it or / at its end, nor quotes, a backslash or "
          + "a colon, which a unit cannot name.")
    }
    // It names a file, too. The rest is checked with the configuration.
    if let name, name.hasPrefix(".") || name.contains("/") {
      throw ValidationError("The name of a spool cannot begin with a dot or have a slash in it.")
    }
  }

  func run() async throws {
    var place = common.place
    try common.requireRoot("spool add \(path)")
    let environment = ProcessInfo.processInfo.environment
    let before = try load(place, environment)
    let named = common.instance == nil ? environment["WAYBILL_SOCKET"].flatMap { $0.isEmpty ? nil : $0 } : nil
    place.socket = before.daemon.control ?? named ?? place.socket
    if let user = DaemonUser.of(before, at: place.configuration) {
      place.user = UserName.of(user)
      place.group = GroupName.ofUser(place.user) ?? place.user
    }
    let name = name ?? SetupText.name(of: path)
    for spool in before.spools where spool.path == path || spool.name == name {
      throw CommandFailure(
        status: .failure,
        words: spool.path == path
          ? "\(path) is the spool \(spool.name) already"
          : "there is a spool \(name) already (\(spool.path)): choose another name with --name")
    }
    let file = "\(Configuration.folder(of: place.configuration))/\(name).toml"
    let section = SetupText.spool(path, name: name) + settings.map { $0.line + "\n" }.joined()
    let text = "# Made by waybill spool add.\n" + section
    let added = try load(place, environment, adding: text, as: file).spools.first { $0.path == path }
    if FileManager.default.fileExists(atPath: file) {
      throw CommandFailure(status: .failure, words: "\(file) is there, and stays")
    }
    let spool = try SpoolSetup(
      path, group: common.group, archive: added?.archivePath, keepsFiles: added?.keepsFiles == true, at: place,
      sandbox: UnitSandbox(ofConfiguration: place.configuration))
    show(spool, file, place)
    guard !common.prints else { return Output.line("\(file):\n\(text.dropLast())") }
    try place.requireWritable()
    let ask: (Bool) async throws -> Bool = { needsThought in
      if needsThought { try YesNoQuestion.ask("Go on?", before: "spool add", otherwise: "nothing was changed") }
      return true
    }
    try await spool.agree(yes: common.yes, Terminal.canAsk ? ask : nil)
    let needsRestart = try await spool.make()
    try place.write(file, Array(text.utf8))
    try await takeEffect(file, place, needsRestart: needsRestart)
  }

  /// Reads the configuration, which has to be in files. The keys need not be readable here.
  private func load(
    _ place: SetupPlace, _ environment: [String: String], adding text: String? = nil, as file: String = ""
  ) throws(CommandFailure) -> Configuration {
    guard FileManager.default.fileExists(atPath: place.configuration) else {
      if environment.keys.contains(where: { $0.hasPrefix("WAYBILL_SPOOL_") || $0.hasPrefix("WAYBILL_STORAGE_") }) {
        let words = "the configuration comes from the environment: set WAYBILL_SPOOL_NAME_PATH for another spool"
        throw CommandFailure(status: .failure, words: "\(words) (waybill.toml(5))")
      }
      throw CommandFailure(
        status: .configuration, words: "there is no \(place.configuration) yet: waybill init makes one, with a spool")
    }
    do throws(ConfigurationError) {
      return try Configuration.load(
        path: place.configuration, environment: environment, readingCredentials: false,
        replacing: text.map { [file: Array($0.utf8)] } ?? [:])
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
  }

  /// Shows what is going to be done.
  private func show(_ spool: SpoolSetup, _ file: String, _ place: SetupPlace) {
    Output.line("To do:")
    for command in spool.commands { Output.line("  \(command)") }
    Output.line("  write \(DirectoryRecipe.quoted(file))")
    let restarts = spool.commands.contains("systemctl daemon-reload")
    Output.line(restarts ? "  systemctl try-restart \(place.unit ?? "")" : "  waybill\(place.option) reload")
  }

  /// Has the daemon use the file. If the daemon refuses it, it is removed again: also the daemon's next start is with the old ones.
  private func takeEffect(_ file: String, _ place: SetupPlace, needsRestart: Bool) async throws {
    if needsRestart, place.isService, let unit = place.unit {
      Output.line("Requests in flight end first …")
      do {
        try await Program.require("systemctl", ["try-restart", unit], unit: unit)
      } catch {
        Output.folded("\(file) stays. To take the spool back, remove it, and restart the service.")
        throw error
      }
      return Output.line("\(unit) was restarted")
    }
    do {
      try await ReloadCommand.parse(["--socket", place.socket]).run()
    } catch let failure as CommandFailure {
      switch failure.status {
      case .configuration:
        // Ignored: then the words say what is left to do.
        let isGone = (try? FileManager.default.removeItem(atPath: file)) != nil
        throw CommandFailure(
          status: .configuration,
          words: isGone ? "\(file) was removed again" : "\(file) could not be removed: remove it")
      case .unavailable: Output.line("no daemon runs: it takes the spool up when it starts")
      default:
        let words = failure.words.map { $0 + "\n" } ?? ""
        throw CommandFailure(status: .failure, words: "\(words)\(file) stays: waybill reload takes it up")
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
    guard key.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") })
    else { return nil }
    let value = String(argument[argument.index(after: equals)...])
    let isPlain = value == "true" || value == "false" || Int64(value) != nil || "\"'[{".contains(value.first ?? " ")
    line = "\(key) = \(isPlain ? value : SetupText.quoted(value))"
  }
}
