import ArgumentParser
import CommandParts
import Jobs
import Linux
import Subprocess

/// The options that `waybill init` and `waybill spool add` have in common.
struct SetupOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The group whose members may drop files. Default: waybill-drop.", valueName: "group"))
  var group: String?
  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = SetupPlace.usual
  @Option(help: ArgumentHelp("The instance NAME: its files and its service.", valueName: "name"))
  var instance: String?
  @Flag(help: "Do not ask, even about files that are already there and will be sent.") var yes = false
  @Flag(name: .customLong("print"), help: "Print the plan and the configuration, and change nothing.")
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

  /// Shows what is going to be done, and with `--print` the configuration's file.
  ///
  /// - Parameters:
  ///   - trial: what is done before the spool is made.
  ///   - last: the command that has the daemon use the files; nil if none runs.
  /// - Returns: true if it is to be done.
  func show(_ spool: SpoolSetup, _ files: [SetupFile], after trial: String? = nil, before last: String?) -> Bool {
    Output.line("To do:")
    let writes = files.map { "write \($0.path)" }
    if let trial { Output.folded("  " + DisplayText.escape(trial), indent: 4) }
    // Not folded: with --print a person copies the commands.
    for line in spool.commands { Output.line("  " + DisplayText.escape(line)) }
    for line in writes + [last].compactMap(\.self) { Output.folded("  " + DisplayText.escape(line), indent: 4) }
    guard prints, let file = files.last else { return true }
    Output.line("\(file.path):\n\(String(decoding: file.bytes.dropLast(), as: UTF8.self))")
    return false
  }
}

/// A program of the system that a setup runs, e.g. `systemctl`.
enum Program {
  /// Runs a program that has to succeed.
  ///
  /// - Parameter unit: the unit that it starts. If it fails, the end of the unit's journal follows the program's own words.
  /// - Throws: ``CommandFailure`` with the program's own words.
  static func require(_ name: String, _ arguments: [String], unit: String? = nil) async throws {
    let result = try await output(name, arguments)
    guard !result.isDone else { return }
    var words = ([name] + arguments).joined(separator: " ") + " failed: " + result.text
    if let unit {
      let journal = try await output("journalctl", ["-q", "--no-pager", "-o", "cat", "-n", "10", "-u", unit])
      if !journal.text.isEmpty { words += "\n" + journal.text }
    }
    throw CommandFailure(words: words)
  }

  /// Runs a program, and returns what it wrote, safe for a terminal.
  private static func output(_ name: String, _ arguments: [String]) async throws -> (isDone: Bool, text: String) {
    do {
      let result = try await run(
        .name(name), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      let lines = (result.standardOutput + result.standardError).split(separator: "\n")
      return (
        result.terminationStatus.isSuccess, lines.map { DisplayText.escape(String($0)) }.joined(separator: "\n")
      )
    } catch {
      throw CommandFailure(words: "\(name) cannot be run: \(DisplayText.escape("\(error)"))")
    }
  }
}
