import ArgumentParser
import CommandParts
import Credentials
import FoundationEssentials
import Jobs
import Linux
import Settings

/// `waybill init`
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set Waybill up: storage, keys, spool, backend, service.",
    discussion: """
      Asks for all that no option gives, shows the plan, and asks once. It then tries the storage and the backend as \
      check --probe does, makes the spool with its access control list, writes keys and configuration, and starts \
      the service. It runs as root, without a daemon.

      It overwrites nothing, and keeps nothing unless the trial succeeds or you continue anyway. After a failed \
      trial it asks again; Enter keeps an answer. A later run continues an interrupted one. If there is a \
      configuration, it changes nothing: use waybill spool add. Files that are already in the spool's directory are \
      sent and then removed: it shows their number.

      With --yes it asks nothing, and all answers must be options.

      Exit status: 1 something is in the way; 64 an option is missing or wrong; 77 not root; 78 the storage or the \
      backend does not work with these settings.
      """)

  /// The directory of a trial, which only root enters.
  private static let trialFolder = "/run/waybill-init"

  @OptionGroup var options: InitOptions
  @OptionGroup var common: SetupOptions

  private var place: SetupPlace { common.place }
  /// True if the service is started at the end.
  private var starts: Bool { place.isService && !options.noStart }

  func run() async throws {
    try common.requireRoot("init")
    try requireNoConfiguration()
    if !common.prints { try place.requireWritable() }
    let environment = ProcessInfo.processInfo.environment
    var answers = try options.answers()
    let person = !common.yes && Person.isThere ? try Person() : nil
    defer { person?.restore() }
    let dialog = person.map { InitDialog(with: $0) }
    if let dialog {
      let count = InitDialog.count(answers)
      Output.folded("At most \(count) questions; nothing is changed before the last one. ? explains a question.")
      try await dialog.complete(&answers)
    } else if !common.yes, !common.prints {
      throw CommandFailure.usage("init asks at a terminal; elsewhere use --yes, with options")
    } else if !answers.missing.isEmpty {
      throw CommandFailure.usage("missing: \(answers.missing.joined(separator: ", "))")
    }
    let files = answers.files(at: place)
    _ = try place.load([:], adding: files.last)
    let spool = try SpoolSetup(
      answers.spool ?? SetupAnswers.usualSpool, group: common.group, at: place,
      sandbox: UnitSandbox(ofConfiguration: place.configuration))
    let trial =
      "try bucket \(answers.bucket ?? "") at \(answers.endpoint ?? ""), and backend \(answers.backend ?? "")"
    guard common.show(spool, files, after: trial, before: starts ? place.start : nil) else { return }
    try await spool.agree(
      yes: common.yes, dialog.map { dialog in { try await dialog.confirm("Do it?", usually: !$0) } })
    try await tryOut(&answers, dialog, person, environment)
    async let _: Void? = person?.watch()
    _ = try await spool.make()
    for file in answers.files(at: place) { try file.write() }
    try await start(answers.spool ?? SetupAnswers.usualSpool, environment)
  }

  /// Throws if there is a configuration: it is never changed.
  private func requireNoConfiguration() throws(CommandFailure) {
    let folder = Configuration.folder(of: place.configuration)
    // Ignored: usually there is no such folder.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.sorted().filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    let isThere = FileManager.default.fileExists(atPath: place.configuration)
    guard let file = isThere ? place.configuration : files.first else { return }
    throw CommandFailure(
      words: "\(file) is there, and stays. To start it: \(place.start). Another spool: waybill\(place.option) "
        + "spool add PATH. To try the settings: waybill check --probe")
  }

  /// Tries the answers until they work, or the person stops or goes on all the same. Of what failed, the answers are asked for again.
  private func tryOut(
    _ answers: inout SetupAnswers, _ dialog: InitDialog?, _ person: Person?, _ environment: [String: String]
  ) async throws {
    while true {
      for file in answers.files(at: place) { _ = try file.isThere() }
      let faulty = try await trial(answers, person, environment)
      if faulty.isEmpty { return }
      let answer = try await dialog?.askAfterTrial()
      if answer == "g" { return }
      guard let dialog, answer != "s" else {
        throw CommandFailure(
          status: .configuration,
          words: "the storage or the backend does not work with these answers; nothing was changed")
      }
      let before = answers
      if faulty.contains("storage.main") { answers.forgetStorage() }
      if faulty.contains("backend.main") { answers.forgetBackend() }
      try await dialog.complete(&answers, before: before)
    }
  }

  /// Tries the storage and the backend, as `waybill check --probe` does. Nothing is written where it stays before they have
  /// answered.
  ///
  /// - Returns: the destinations that do not work with these answers.
  private func trial(
    _ answers: SetupAnswers, _ person: Person?, _ environment: [String: String]
  ) async throws -> Set<String> {
    Output.line("Trying the storage and the backend …")
    @Sendable func remove() {
      // Ignored: usually there is nothing, and what stays only root can read.
      try? FileManager.default.removeItem(atPath: Self.trialFolder)
    }
    remove()
    defer { remove() }
    async let _: Void? = person?.watch(remove)
    let (above, name) = SetupFile.parts(of: Self.trialFolder)
    try Directory(path: above).makeDirectory(name, permissions: 0o700)
    let place = SetupPlace(configuration: Self.trialFolder + "/waybill.toml", instance: nil)
    for file in answers.files(at: place) { try file.write() }
    // The service has neither the keys nor the home of who runs this.
    let environment = environment.filter {
      $0.key != "HOME" && !$0.key.hasPrefix("AWS_") && !$0.key.hasPrefix("WAYBILL_")
    }
    let configuration = try Configuration.load(path: place.configuration, environment: environment)
    var report = FindingReport()
    try await Probe(configuration, environment: environment).run(&report)
    return report.faulty
  }

  /// Starts the service, and says what a person does next.
  private func start(_ spool: String, _ environment: [String: String]) async throws {
    if starts, let unit = place.service {
      Output.line("Starting \(unit) …")
      try await Program.require("systemctl", ["enable", "--now", unit], unit: unit)
      Output.line("Waybill runs. What it does now: waybill\(place.option) status")
    } else {
      Output.line("Start it with: \(place.start)")
    }
    Output.folded(
      "To see a file go through: waybill\(place.option) add FILE --spool \(TOMLText.spoolName(of: spool)) --wait")
    let person = environment["SUDO_USER"].flatMap { $0.isEmpty || $0 == "root" ? nil : $0 } ?? "NAME"
    let groups = "\(place.group),\(common.group ?? "waybill-drop")"
    Output.folded(
      "Who is to drop files and to operate, from the next login on: usermod -aG \(groups) \(DisplayText.escape(person))"
    )
    Output.folded("Pages are in /usr/share/doc/waybill/docs, getting-started.md first.")
  }
}

/// The options of `waybill init` that answer its questions.
struct InitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address of the storage.", valueName: "url")) var endpoint: String?
  @Option(
    help: ArgumentHelp(
      "The region for signatures. Default: the address's region, else \(SetupAnswers.usualRegion).",
      valueName: "region"))
  var region: String?
  @Option(help: ArgumentHelp("The bucket.", valueName: "name")) var bucket: String?
  @Option(
    help: ArgumentHelp(
      """
      The keys of the storage: env (copies AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY into files), instance (the \
      machine's role at AWS), or two files ID,SECRET.
      """, valueName: "from"), transform: InitOptions.keys) var keys: SetupAnswers.Keys?
  @Option(help: ArgumentHelp("The address that registrations go to.", valueName: "url")) var backend: String?
  @Option(
    help: ArgumentHelp("The file of the backend's token.", valueName: "file"),
    completion: .file()) var backendTokenFile: String?
  @Option(
    help: ArgumentHelp(
      "The directory that files are dropped into. Default: \(SetupAnswers.usualSpool).", valueName: "path"),
    completion: .directory) var spool: String?
  @Flag(help: "Neither start the service nor enable it.") var noStart = false

  func validate() throws {
    if let spool, let fault = SpoolSetup.fault(of: spool) { throw ValidationError(fault) }
    for (option, address) in [("--endpoint", endpoint), ("--backend", backend)] {
      if let address, !InitDialog.isAddress(address) {
        throw ValidationError("\(option) needs an address that begins with https:// or http://.")
      }
    }
    if let backendTokenFile, !backendTokenFile.hasPrefix("/") {
      throw ValidationError("--backend-token-file needs an absolute path.")
    }
  }

  /// Returns what the options say.
  func answers() throws(CommandFailure) -> SetupAnswers {
    var answers = SetupAnswers()
    (answers.endpoint, answers.region, answers.bucket, answers.keys) = (endpoint, region, bucket, keys)
    (answers.spool, answers.backend, answers.tokenFile) = (spool, backend, backendTokenFile)
    var files = [backendTokenFile].compactMap(\.self)
    if case .files(let access, let secret)? = keys { files += [access, secret] }
    if let fault = files.lazy.compactMap({ InitDialog.fault(ofFile: $0) }).first { throw CommandFailure.usage(fault) }
    return answers
  }

  /// Returns the keys that `--keys` names.
  private static func keys(_ argument: String) throws -> SetupAnswers.Keys {
    if argument == "instance" { return .instance }
    let files = argument.split(separator: ",").map(String.init)
    if files.count == 2, files.allSatisfy({ $0.hasPrefix("/") }) { return .files(access: files[0], secret: files[1]) }
    guard argument == "env" else { throw ValidationError("It can be env, instance, or two absolute paths: ID,SECRET.") }
    let environment = ProcessInfo.processInfo.environment
    guard environment["AWS_SESSION_TOKEN", default: ""].isEmpty else {
      throw ValidationError(
        "The keys in the environment have AWS_SESSION_TOKEN: they end within hours, and a service needs others.")
    }
    guard let access = environment["AWS_ACCESS_KEY_ID"].flatMap({ Secret(text: $0) }),
      let secret = environment["AWS_SECRET_ACCESS_KEY"].flatMap({ Secret(text: $0) })
    else { throw ValidationError("--keys env needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.") }
    return .typed(access: access, secret: secret)
  }
}
