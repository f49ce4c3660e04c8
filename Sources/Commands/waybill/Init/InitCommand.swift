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
    commandName: "init", abstract: "Set Waybill up: storage, keys, spool, backend, service.",
    discussion: """
      Asks for what it does not know: storage service, bucket, keys, spool, backend. Looks for keys in ~/.aws, \
      rclone.conf, .s3cfg and the environment, with sudo also in those of the user who ran it. Then it shows what it is \
      going to do, and asks once. It writes the keys, tries the storage and the backend as check --probe does, makes the \
      spool with its access control list, writes the configuration and starts the service. It drops a test file only \
      if you want one. It runs as root and needs no daemon.

      It never overwrites anything. If the trial fails, it asks again for what has failed, and Enter keeps an answer. A \
      setup that was interrupted goes on where it was. If there is a configuration otherwise, it changes nothing: \
      waybill spool add adds another spool. Files that are in the spool's directory already are sent, and then removed: \
      it says how many there are.

      With --yes nothing is asked: what is not found has to come as options. With --print nothing is done: the plan \
      and the configuration are written to standard output.

      Exit status: 1 something is in the way; 64 an option is missing; 77 not root; 78 the storage or the backend does \
      not work with these settings.
      """)

  @OptionGroup var options: InitOptions
  @OptionGroup var common: SetupOptions

  func run() async throws {
    let place = common.place
    try common.requireRoot("init")
    let environment = ProcessInfo.processInfo.environment
    let asker = !common.yes && TerminalKeys.isPossible ? try Asker() : nil
    defer { asker?.person.keys.restore() }
    let setup = SetupRun(place: place, options: options, environment: environment, asker: asker, common: common)
    if let there = try setup.existing() {
      guard !common.prints else { throw setup.stays(there) }
      return try await setup.goOn(from: there)
    }
    if !common.prints { try place.requireWritable() }
    let search = KeySearch(homes: Self.homes(environment), environment: environment, read: KeySearch.text)
    var answers = SetupAnswers()
    if !common.prints { try await setup.resume(&answers) }
    try options.apply(to: &answers, search)
    if let dialog = asker?.dialog {
      let count = InitDialog.count(answers)
      Output.folded("At most \(count) questions; nothing is changed before the last one. ? explains a question.")
      for line in search.left { Output.folded(line) }
      try await dialog.complete(&answers, search)
    } else if !common.yes, !common.prints {
      throw CommandFailure(
        status: .validationFailure, words: "init asks at a terminal; elsewhere use --yes, with options")
    } else {
      try useOnlyKeys(&answers, search)
    }
    let text = SetupText.configuration(answers, at: place)
    do throws(ConfigurationError) {
      _ = try Configuration.load(
        path: place.configuration, environment: [:], readingCredentials: false,
        replacing: [place.configuration: Array(text.utf8)])
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
    let spool = try SpoolSetup(
      answers.spool ?? SetupAnswers.usualSpool, group: common.group, at: place,
      sandbox: UnitSandbox(ofConfiguration: place.configuration))
    guard !common.prints else {
      setup.show(answers, spool)
      return Output.line("\(place.configuration):\n\(text.dropLast())")
    }
    try await setup.run(&answers, spool, search)
  }

  /// Without anybody to ask, the only keys that were found are those that are meant.
  private func useOnlyKeys(_ answers: inout SetupAnswers, _ search: KeySearch) throws(CommandFailure) {
    if answers.keys == nil, search.found.count == 1 {
      let keys = search.found[0]
      guard keys.token == nil else {
        throw CommandFailure(
          status: .validationFailure,
          words:
            "the only keys that were found end within hours: \(keys.shown). Name others by --keys, or these if they are meant: "
            + "--keys \(DirectoryRecipe.quoted(DisplayText.escape(keys.word)))")
      }
      answers.use(keys)
    }
    guard !answers.missing.isEmpty else { return }
    var words = "missing: \(answers.missing.joined(separator: ", "))"
    if answers.keys == nil, !search.found.isEmpty {
      words += ". Found: \(search.found.map(\.shown).joined(separator: "; "))"
    }
    throw CommandFailure(status: .validationFailure, words: words + search.left.map { ". \($0)" }.joined())
  }

  /// The home directories in which keys may be.
  private static func homes(_ environment: [String: String]) -> [String] {
    var homes = [environment["HOME"], environment["SUDO_UID"].flatMap(UInt32.init).flatMap(UserName.home)]
      .compactMap(\.self)
    if homes.count == 2, homes[0] == homes[1] { homes.removeLast() }
    return homes
  }
}

/// The person who answers the questions of a setup.
struct Asker: Sendable {
  let person: Person
  let signals: CaughtSignals

  /// Prepares the terminal, and catches the signals that would leave it changed.
  init() throws(CommandFailure) {
    do {
      signals = try CaughtSignals()
      person = Person(
        keys: try TerminalKeys(signals: signals), thread: try WorkerThreads(count: 1, name: "waybill-keys"))
    } catch {
      throw CommandFailure(status: .failure, words: "\(error)")
    }
  }

  var dialog: InitDialog { InitDialog(read: { try await answer($0, $1) }, say: { Output.folded($0) }) }

  /// Reads a line from the person. A signal ends the process, with the terminal as it was.
  func answer(_ prompt: String, _ isHidden: Bool) async throws -> String {
    switch try await person.line(prompt, isHidden: isHidden) {
    case .line(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .signal(let number): end(by: number)
    default: break
    }
    throw CommandFailure(status: .failure, words: "nothing was changed: the input has ended")
  }

  /// Ends the process by a signal that comes while nothing is asked. A later run goes on.
  func watch() async {
    while !Task.isCancelled {
      if let number = signals.next() { end(by: number) }
      // Ignored: a cancelled sleep ends the loop.
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  private func end(by number: Int32) {
    person.keys.restore()
    person.write("\n")
    signals.letThrough(number)
  }
}
