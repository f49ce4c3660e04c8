import ArgumentParser
import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Settings

struct SpoolCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool", abstract: "List the spools, and change the configuration's.",
    subcommands: [SpoolListCommand.self, SpoolAddCommand.self, SpoolRenameCommand.self, SpoolRemoveCommand.self])
}

struct SpoolAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a spool to the configuration.",
    discussion: """
      Writes waybill.d/NAME.toml beside the configuration, and a drop-in for a directory outside /var/spool/waybill. \
      Then it shows the commands that make the directory with the owner, group, mode and access control list of a \
      spool, and have the daemon use it. It asks first if the directory has files, which will be sent, or belongs to \
      somebody else.

      It overwrites nothing, and changes no directory. It runs as root, also without a daemon. Exit status: 1 \
      something is in the way; 64 an argument is wrong; 77 not root; 78 the configuration would have an error.
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

  func run() throws {
    try common.requireRoot("spool add \(path)")
    let environment = ProcessInfo.processInfo.environment
    var place = common.place
    try requireConfiguration(place.configuration)
    let before = try place.load(environment)
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
      bytes: Array((AddedSpool.heading + section).utf8), group: place.group,
      remedy: "choose another name with --name")
    let added = try place.load(environment, adding: file).spools.first { $0.path == path }
    let spool = SpoolSetup(
      path: path, archive: added?.archivePath, group: common.group, keepsFiles: added?.keepsFiles == true, place: place)
    let files = spool.dropIns + [file]
    // A drop-in counts from the next start on.
    let unit = files.count > 1 ? place.unit : nil
    let commands = spool.commands + [unit.map { "systemctl restart \($0)" } ?? "waybill\(place.option) reload"]
    guard try common.agree(to: files, spool, then: commands, asks: false, command: "spool add") else { return }
    for file in files { try file.write() }
    common.show(commands)
  }

  private func requireConfiguration(_ path: String) throws(CommandFailure) {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    throw CommandFailure(
      status: .configuration, words: "there is no \(path) yet: waybill init makes one, with a spool")
  }
}

/// `KEY=VALUE` on the command line, for a setting: what was typed, in quotes unless TOML needs none.
struct SettingArgument: ExpressibleByArgument {
  let line: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    let key = argument[..<equals]
    guard key.allSatisfy({ $0.isASCII && $0.isLowercase || $0 == "_" }) else { return nil }
    let value = String(argument[argument.index(after: equals)...])
    // All others are texts: key={spool}/{name}, match=[a-z]+ and max_size=1000 too.
    let isPlain =
      ["true", "false"].contains(value) || value.hasPrefix("\"") || value.hasPrefix("'")
      || key == "priority" && Int64(value) != nil || key == "ignore" && value.hasPrefix("[")
    line = "\(key) = \(isPlain ? value : TOMLText.quoted(value))"
  }
}
