import ArgumentParser
import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Settings
import Spool

/// `waybill init`
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set Waybill up: keys, configuration, spool, service, and a first file.",
    discussion: """
      Asks for what it does not find: keys, storage, bucket, backend, spool. Looks for keys in ~/.aws, rclone.conf, \
      .s3cfg and the environment, with sudo also in those of the user who ran it. Then it shows what it is going to \
      do, as commands, and asks once. It writes the key files, makes the spool with its access control list, tries \
      the storage and the backend, writes the configuration, starts the service, drops a first file and waits until \
      it is registered. It runs as root and needs no daemon.

      It never overwrites anything. If there is a configuration, it changes nothing: waybill spool add adds \
      another spool. A setup that was interrupted goes on where it was; if only the start is missing, it says so.

      With --yes nothing is asked: what is not found has to come as options. With --print nothing is done: the \
      commands are written to standard output.

      Exit status: 1 something is in the way; 64 an option is missing; 77 not root; 78 the storage or the backend does \
      not work with these settings.
      """)

  @OptionGroup var options: InitOptions
  @Option(
    help: ArgumentHelp("The configuration file to write.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = SetupPlace.usual
  @Option(help: ArgumentHelp("Set up the instance NAME: its files and its service.", valueName: "name"))
  var instance: String?
  @Flag(help: "Do not ask.") var yes = false
  @Flag(name: .customLong("print"), help: "Write the commands to standard output, and do nothing.") var prints = false

  func validate() throws {
    guard instance == nil || config == SetupPlace.usual else {
      throw ValidationError("--config and --instance cannot be used together.")
    }
    guard config.hasPrefix("/") else { throw ValidationError("--config needs an absolute path.") }
    try ConnectionOptions.validate(instance: instance)
  }

  func run() async throws {
    let place = SetupPlace(configuration: config, instance: instance)
    let isRoot = ProcessRights.user == 0
    // Without the package, commands can still be printed.
    let looks = isRoot && ProcessRights.user(named: place.user) != nil
    guard prints || isRoot else {
      throw CommandFailure(status: .notPermitted, words: "run it as root: sudo waybill init")
    }
    try await refuseExisting(place)
    if !prints { try SetupHost.requireWritable(place) }
    let environment = ProcessInfo.processInfo.environment
    let search = KeySearch(homes: Self.homes(environment), environment: environment, read: KeySearch.text)
    let sudo = environment["SUDO_USER"].flatMap { $0.isEmpty || $0 == "root" ? nil : $0 }
    var draft = try options.draft(search, person: sudo)
    let asks = !yes && TerminalKeys.isPossible
    guard asks else {
      guard yes || prints else {
        throw CommandFailure(
          status: .validationFailure, words: "init asks at a terminal; elsewhere use --yes, with options")
      }
      if draft.keys == nil, !draft.storageIsSandbox, search.found.count == 1 {
        let keys = search.found[0]
        guard keys.token == nil else {
          throw CommandFailure(
            status: .validationFailure,
            words:
              "the only keys that were found end within hours: \(keys.shown). Name others by --keys, or these if they are meant: "
              + "--keys \(DirectoryRecipe.quoted(DisplayText.escape(keys.word)))")
        }
        draft.use(keys)
      }
      return try await withoutQuestions(draft, search, looks: looks, place, environment)
    }
    for line in search.left { Output.folded(line) }
    try await withQuestions(draft, search, looks: looks, place, environment)
  }

  /// Refuses to touch a configuration that is there.
  private func refuseExisting(_ place: SetupPlace) async throws(CommandFailure) {
    var there = SetupHost.exists(place.configuration) ? place.configuration : nil
    let folder = Configuration.folder(of: place.configuration)
    if there == nil, SetupHost.exists(folder) {
      do throws(FileError) {
        let names = try smallDirectoryNames(path: folder, limit: 1000).map { String(decoding: $0, as: UTF8.self) }
        there = names.sorted().first { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
      } catch {
        throw CommandFailure(status: .failure, words: error.words)
      }
    }
    guard let there else { return }
    var start = ""
    if let unit = place.unit, there == place.configuration, try await Self.wasNeverStarted(unit) {
      start = " Its service is neither enabled nor running: systemctl enable --now \(unit)."
    }
    throw CommandFailure(
      status: .failure,
      words: """
        \(there) is there, and stays.\(start) Another spool: waybill\(place.option) spool add PATH. To try the settings: \
        waybill check --probe
        """)
  }

  /// True if systemd runs here, and a unit is neither enabled nor active: a setup ended before its start.
  private static func wasNeverStarted(_ unit: String) async throws(CommandFailure) -> Bool {
    guard SetupHost.exists("/run/systemd/system") else { return false }
    let enabled = try await Program.output("systemctl", ["is-enabled", unit]).output
    let active = try await Program.output("systemctl", ["is-active", unit]).output
    return enabled == "disabled\n" && active == "inactive\n"
  }

  /// The home directories in which keys may be.
  private static func homes(_ environment: [String: String]) -> [String] {
    var homes = [environment["HOME"], environment["SUDO_UID"].flatMap(UInt32.init).flatMap(UserName.home)]
      .compactMap(\.self)
    if homes.count == 2, homes[0] == homes[1] { homes.removeLast() }
    return homes
  }

  private func withoutQuestions(
    _ draft: SetupDraft, _ search: KeySearch, looks: Bool, _ place: SetupPlace, _ environment: [String: String]
  ) async throws {
    guard let answers = draft.answers else {
      var words = "missing: \(draft.missing.joined(separator: ", "))"
      if draft.keys == nil, !search.found.isEmpty {
        words += ". Found: \(search.found.map(\.shown).joined(separator: "; "))"
      }
      words += search.left.map { ". \($0)" }.joined()
      throw CommandFailure(status: .validationFailure, words: words)
    }
    try Self.check(answers, at: place)
    let host = looks ? try SetupHost.current(answers, at: place) : .unknown
    let plan = try SetupPlan(answers, on: host, at: place)
    guard !prints else { return SetupRunner.show(SetupPlan.commands(plan.steps, at: place)) }
    var runner = SetupRunner(
      plan, answers, at: place, environment: environment, signals: try Self.signals(), choose: nil)
    try await runner.run()
    Self.sayEnd(answers, host, place)
  }

  private func withQuestions(
    _ draft: SetupDraft, _ search: KeySearch, looks: Bool, _ place: SetupPlace, _ environment: [String: String]
  ) async throws {
    let signals = try Self.signals()
    let person: Person
    do {
      person = Person(
        keys: try TerminalKeys(signals: signals), thread: try WorkerThreads(count: 1, name: "waybill-keys"))
    } catch {
      throw CommandFailure(status: .failure, words: "\(error)")
    }
    defer { person.keys.restore() }
    let dialog = InitDialog(
      read: { prompt, isHidden in try await Self.answer(of: person, signals, prompt, isHidden) },
      say: { Output.folded($0) }, isUser: { ProcessRights.user(named: $0) != nil })
    var known = draft
    while true {
      var draft = known
      try await dialog.complete(&draft, search)
      guard var answers = draft.answers else {
        throw CommandFailure(status: .validationFailure, words: "missing: \(draft.missing.joined(separator: ", "))")
      }
      try Self.check(answers, at: place)
      if looks { try await settle(&answers, place, dialog) }
      let host = looks ? try SetupHost.current(answers, at: place) : .unknown
      let plan = try SetupPlan(answers, on: host, at: place)
      let commands = SetupPlan.commands(plan.steps, at: place)
      Output.line(prints ? "" : "To do, as commands:")
      SetupRunner.show(commands)
      guard !prints else { return }
      guard try await dialog.confirm("Do it?", usually: true) else {
        throw CommandFailure(status: .failure, words: "nothing was changed")
      }
      person.keys.restore()
      var runner = SetupRunner(
        plan, answers, at: place, environment: environment, signals: signals,
        choose: { try await Self.answer(of: person, signals, $0, false) })
      do {
        try await runner.run()
        return Self.sayEnd(answers, host, place)
      } catch SetupRunner.End.changeAnswers {
        // Options that led here count no longer.
        known = SetupDraft()
        (known.spools, known.people, known.starts) = (draft.spools, draft.people, draft.starts)
      }
    }
  }

  /// Settles what is in the way, if the person wants that: directories of others, and key files with other bytes.
  private func settle(_ answers: inout SetupAnswers, _ place: SetupPlace, _ dialog: InitDialog) async throws {
    for key in SetupPlan.keyFiles(answers, at: place) {
      guard let secret = SetupHost.secret(in: key.path), secret != key.secret else { continue }
      dialog.say("\(key.path) is there with other bytes.")
      guard try await dialog.confirm("Use it as it is?", usually: true) else {
        throw CommandFailure(
          status: .failure,
          words: "nothing was changed. To have it written anew: rm \(DirectoryRecipe.quoted(key.path))")
      }
      answers.use(secret, from: key.path, at: place)
    }
    for index in answers.spools.indices {
      let spool = answers.spools[index]
      guard
        let setup = DirectorySetup(user: place.user, droppers: spool.group),
        case let state = try setup.state(of: spool.path), case .others(let owner, let group) = state
      else { continue }
      dialog.say("\(spool.path) belongs to \(owner):\(group). A spool belongs to the daemon:")
      SetupRunner.show(setup.recipe.spool(spool.path))
      guard try await dialog.confirm("Change it as above?", usually: false) else {
        throw CommandFailure(status: .failure, words: "nothing was changed")
      }
      answers.spools[index].agreed = state
    }
  }

  /// Throws unless the answers make a valid configuration. The keys may be missing yet.
  private static func check(_ answers: SetupAnswers, at place: SetupPlace) throws(CommandFailure) {
    let text = Array(SetupText.configuration(answers, at: place).utf8)
    do throws(ConfigurationError) {
      _ = try Configuration.load(
        path: place.configuration, environment: [:], readingCredentials: false,
        replacing: [place.configuration: text])
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
  }

  private static func signals() throws(CommandFailure) -> CaughtSignals {
    do throws(FileError) {
      return try CaughtSignals()
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  /// Reads a line from the person. A signal ends the process, with the terminal as it was.
  private static func answer(
    of person: Person, _ signals: CaughtSignals, _ prompt: String, _ isHidden: Bool
  ) async throws -> String {
    switch try await person.line(prompt, isHidden: isHidden) {
    case .line(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .signal(let number):
      person.keys.restore()
      person.write("\n")
      signals.letThrough(number)
      throw CommandFailure(status: .failure, words: nil)
    default: throw CommandFailure(status: .failure, words: "nothing was changed: the input has ended")
    }
  }

  private static func sayEnd(_ answers: SetupAnswers, _ host: SetupHost, _ place: SetupPlace) {
    Output.line()
    let paths = answers.spools.map(\.path).joined(separator: ", ")
    if place.unit == nil || !host.hasSystemd {
      Output.folded("Start it with: waybilld --config \(place.configuration)")
    } else if answers.starts {
      Output.folded("Waybill runs. Files that are dropped into \(paths) are sent.")
    } else if let unit = place.unit {
      Output.folded("Start it with: systemctl enable --now \(unit)")
    }
    if !answers.people.isEmpty {
      Output.folded("\(answers.people.joined(separator: ", ")) may drop files and operate from the next login on.")
    }
    Output.line("What it does now: waybill\(place.option) status")
    Output.folded(
      "Pages are in /usr/share/doc/waybill/docs: getting-started.md, and failover.md if another host is to take over.")
  }
}
