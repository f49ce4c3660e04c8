import ArgumentParser
import Linux

/// The options that `waybill init` and `waybill spool add` have in common.
struct SetupOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The group whose members may drop files. Default: waybill-drop.", valueName: "group"))
  var group: String?
  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = SetupPlace.usual
  @Option(help: ArgumentHelp("The instance NAME: its files and its service.", valueName: "name"))
  var instance: String?
  @Flag(help: "Do not ask, also not about files that are there already and will be sent.") var yes = false
  @Flag(name: .customLong("print"), help: "Write what would be done to standard output, and do nothing.")
  var prints = false

  func validate() throws {
    guard instance == nil || config == SetupPlace.usual else {
      throw ValidationError("--config and --instance cannot be used together.")
    }
    guard config.hasPrefix("/") else { throw ValidationError("--config needs an absolute path.") }
    try ConnectionOptions.validate(instance: instance)
  }

  /// The daemon that is meant.
  var place: SetupPlace { SetupPlace(configuration: config, instance: instance) }

  /// Throws unless root runs the command, or it only prints.
  func requireRoot(_ command: String) throws(CommandFailure) {
    guard prints || ProcessRights.user == 0 else {
      throw CommandFailure(status: .notPermitted, words: "run it as root: sudo waybill \(command)")
    }
  }
}
