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
      Makes the directory, with the owner, group, mode and access control list that a spool needs; lets the service \
      use it, by a drop-in, if its unit does not yet; writes waybill.d/NAME.toml beside the configuration; and has \
      the daemon read it. Without a drop-in that is a reload; with one it is a restart, in which requests in flight \
      end first. It says each step as the command that does the same.

      It never overwrites anything. If the daemon refuses the configuration, the new file is removed again. It runs \
      as root; the daemon need not run.

      Exit status: 1 something is in the way; 64 an option is missing; 77 not root; 78 the configuration would have an \
      error.
      """)

  @Argument(help: ArgumentHelp("The directory, as an absolute path.", valueName: "path"), completion: .directory)
  var path: String
  @Option(
    help: ArgumentHelp("The name of the spool. Default: the last part of the path.", valueName: "name"))
  var name: String?
  @Option(help: ArgumentHelp("The group whose members may drop files. Default: waybill-drop.", valueName: "group"))
  var group: String?
  @Flag(help: "Also send what is in directories below it.") var recursive = false
  @Option(
    help: ArgumentHelp("Move registered files into this directory instead of removing them.", valueName: "path"),
    completion: .directory) var archive: String?
  @Option(help: ArgumentHelp("The storage. Needed if there are several.", valueName: "name")) var storage: String?
  @Option(help: ArgumentHelp("The backend. Needed if there are several.", valueName: "name")) var backend: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Another setting of waybill.toml(5), e.g. settle=5s. May be repeated.", valueName: "key=value"))
  var settings: [SettingArgument] = []
  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = SetupPlace.usual
  @Option(help: ArgumentHelp("Add it to the instance NAME.", valueName: "name")) var instance: String?
  @Flag(help: "Do not ask about files that are there already, and will be sent.") var yes = false
  @Flag(name: .customLong("print"), help: "Write the commands to standard output, and do nothing.") var prints = false
  @Flag(help: "Neither reload nor restart the service.") var noReload = false

  func validate() throws {
    for path in [path, archive].compactMap(\.self) {
      guard InitOptions.isPlain(path) else {
        throw ValidationError(
          "\(path) is not an absolute path: begin it with /, without //, . or .. in it or / at its end.")
      }
      guard UnitDropIn.canName(path) else {
        throw ValidationError(
          "A unit cannot name a path with quotes, a backslash, a colon or a control character in it.")
      }
    }
    guard instance == nil || config == SetupPlace.usual else {
      throw ValidationError("--config and --instance cannot be used together.")
    }
    guard config.hasPrefix("/") else { throw ValidationError("--config needs an absolute path.") }
    // It names a file, too. The rest is checked with the configuration.
    if let name, name.hasPrefix(".") || name.contains("/") {
      throw ValidationError("The name of a spool cannot begin with a dot or have a slash in it.")
    }
    try ConnectionOptions.validate(instance: instance)
  }

  func run() async throws {
    var place = SetupPlace(configuration: config, instance: instance)
    guard prints || ProcessRights.user == 0 else {
      throw CommandFailure(status: .notPermitted, words: "run it as root: sudo waybill spool add \(path)")
    }
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Self.configuration(place, environment)
    let named = instance == nil ? environment["WAYBILL_SOCKET"].flatMap { $0.isEmpty ? nil : $0 } : nil
    place.socket = configuration.daemon.control ?? named ?? place.socket
    if let user = DaemonUser.of(configuration, at: place.configuration) {
      place.user = UserName.of(user)
      place.group = GroupName.ofUser(place.user) ?? place.user
    }
    let request = SpoolRequest(
      spool: SetupAnswers.Spool(path: path, group: group, archive: archive), name: name, isRecursive: recursive,
      storage: storage, backend: backend, settings: settings.map(\.setting))
    let text = try request.text(for: configuration)
    let file = "\(Configuration.folder(of: place.configuration))/\(request.fileName).toml"
    try Self.check(text, file, place, environment)
    if SetupHost.exists(file) { throw CommandFailure(status: .failure, words: "\(file) is there, and stays") }
    var answered = request
    if !prints {
      try SetupHost.requireWritable(place)
      try askAboutDirectory(&answered.spool, place)
    }
    let answers = SetupAnswers(spool: answered.spool)
    let looks = ProcessRights.user == 0 && ProcessRights.user(named: place.user) != nil
    let host = looks ? try SetupHost.current(answers, at: place) : SetupHost()
    var steps = try answered.steps(file: file, text: text, on: host, at: place)
    if noReload { steps.removeAll { $0.isTakingEffect } }
    guard !prints else { return SetupRunner.show(SetupPlan.commands(steps, at: place)) }
    try await carryOut(steps, file, place, environment)
  }

  /// Reads the configuration, which has to be in files. The keys need not be readable here.
  private static func configuration(
    _ place: SetupPlace, _ environment: [String: String]
  ) throws(CommandFailure) -> Configuration {
    let isFile = SetupHost.exists(place.configuration)
    let variables = environment.keys.filter { $0.hasPrefix("WAYBILL_SPOOL_") || $0.hasPrefix("WAYBILL_STORAGE_") }
    guard isFile || variables.isEmpty else {
      throw CommandFailure(
        status: .failure,
        words:
          "the configuration comes from the environment: set WAYBILL_SPOOL_NAME_PATH for another spool (waybill.toml(5))"
      )
    }
    guard isFile else {
      throw CommandFailure(
        status: .configuration, words: "there is no \(place.configuration) yet: waybill init makes one, with a spool")
    }
    do throws(ConfigurationError) {
      return try Configuration.load(path: place.configuration, environment: environment, readingCredentials: false)
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
  }

  /// Throws unless the configuration is valid with the new file.
  private static func check(
    _ text: String, _ file: String, _ place: SetupPlace, _ environment: [String: String]
  ) throws(CommandFailure) {
    do throws(ConfigurationError) {
      _ = try Configuration.load(
        path: place.configuration, environment: environment, readingCredentials: false,
        replacing: [file: Array(text.utf8)])
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
  }

  /// Asks whether a directory of somebody else may be changed, and whether files that are there may be sent.
  private func askAboutDirectory(_ spool: inout SetupAnswers.Spool, _ place: SetupPlace) throws {
    guard let setup = DirectorySetup(user: place.user, droppers: spool.group) else { return }
    let state: DirectorySetup.State
    do throws(FileError) {
      state = try setup.state(of: spool.path)
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
    if case .others(let owner, let group) = state, Terminal.canAsk, !yes {
      Output.folded("\(spool.path) belongs to \(owner):\(group). A spool belongs to the daemon:")
      SetupRunner.show(setup.recipe.spool(spool.path))
      try YesNoQuestion.ask("Change it as above?", before: "spool add", otherwise: "nothing was changed")
      spool.agreed = state
    }
    guard state != .missing, !yes else { return }
    let count = try Self.files(in: spool.path)
    guard count > 0 else { return }
    let words = count == 1 ? "1 file is there and will be sent" : "\(count) files are there and will be sent"
    guard Terminal.canAsk else { throw CommandFailure(status: .failure, words: "\(words): --yes") }
    try YesNoQuestion.ask("\(words). Go on?", before: "spool add", otherwise: "nothing was changed")
  }

  /// The number of names that a spool would look at.
  private static func files(in path: String) throws(CommandFailure) -> Int {
    do throws(FileError) {
      let listing = try Directory(path: path).listing()
      var count = 0
      while let entry = try listing.next() { if entry.name.first != UInt8(ascii: ".") { count += 1 } }
      return count
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  private func carryOut(
    _ steps: [SetupStep], _ file: String, _ place: SetupPlace, _ environment: [String: String]
  ) async throws {
    let signals: CaughtSignals
    do throws(FileError) {
      signals = try CaughtSignals()
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
    var runner = SetupRunner(
      SetupPlan(steps: steps), nil, at: place, environment: environment, signals: signals, choose: nil)
    do {
      try await runner.run()
    } catch let failure as CommandFailure where failure.status == .configuration {
      // The daemon goes on with the old configuration, and so does its next start.
      do throws(FileError) {
        let slash = file.lastIndex(of: "/") ?? file.startIndex
        try Directory(path: String(file[...slash])).remove(Array(file[file.index(after: slash)...].utf8))
        Output.line("taken back:")
        SetupRunner.show(["rm \(DirectoryRecipe.quoted(file))"])
      } catch {
        Output.error(error.words)
      }
      throw failure
    } catch let failure as CommandFailure where SetupHost.exists(file) {
      // The service may have stopped for it.
      SetupRunner.remark("\(file) stays. To take the spool back, remove it, and reload or restart the service.")
      throw failure
    }
  }
}

/// `KEY=VALUE` on the command line, for a setting.
struct SettingArgument: ExpressibleByArgument {
  let setting: StorageSetting

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
    let key = String(argument[..<equals])
    guard key.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") })
    else { return nil }
    setting = StorageSetting(key: key, value: Self.value(String(argument[argument.index(after: equals)...])))
  }

  /// Returns a value as TOML writes it: numbers, true and false, and what has quotes or brackets as they are, and all else as a text.
  private static func value(_ text: String) -> String {
    if text == "true" || text == "false" || Int64(text) != nil { return text }
    if let first = text.first, "\"'[{".contains(first) { return text }
    return SetupText.quoted(text)
  }
}
