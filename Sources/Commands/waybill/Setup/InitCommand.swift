import ArgumentParser
import CommandParts
import Credentials
import FoundationEssentials
import Jobs
import Linux
import Settings

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set Waybill up: storage, keys, backend, spool.",
    discussion: """
      Asks for all that no option gives, shows what it will write, and asks once. It writes keys and configuration, \
      and tries the storage and the backend as check --probe does. Then it shows the commands that make the spool and \
      start the service. It runs as root, without a daemon.

      It overwrites nothing, and changes no directory. If there is a configuration, use waybill spool add. After a \
      failed trial, correct the files, and try again with waybill check --probe. Files that are already in the \
      spool's directory will be sent and then removed: it shows their number.

      With --yes it asks nothing, and all answers must be options.

      Exit status: 1 something is in the way; 64 an option is missing or wrong; 77 not root; 78 the storage or the \
      backend does not work with these settings.
      """)

  @OptionGroup var options: InitOptions
  @OptionGroup var common: SetupOptions

  func run() async throws {
    try common.requireRoot("init")
    let place = common.place
    try requireNoConfiguration(place)
    var answers = options
    var token: Secret?
    if !common.yes, TerminalInput.isThere {
      Output.folded("Nothing is changed before the last question. ? explains a question.")
      token = try answers.complete { TerminalInput.line($0, isHidden: $1) }
    } else if !common.yes, !common.prints {
      throw CommandFailure.usage("init asks at a terminal; elsewhere use --yes, with options")
    }
    guard answers.missing.isEmpty else {
      throw CommandFailure.usage("missing: \(answers.missing.joined(separator: ", "))")
    }
    let path = answers.spool ?? SpoolSetup.usual
    let spool = SpoolSetup(path: path, group: common.group, place: place)
    let own = answers.files(at: place, token: token)
    _ = try place.load([:], adding: own.last)
    let commands = spool.commands + [place.start, "usermod -aG \(groups(place)) \(person)"]
    let files = spool.dropIns + own
    guard try common.agree(to: files, spool, then: commands, asks: true, command: "init") else { return }
    for file in files { try file.write() }
    let works = try await tryOut(place)
    common.show(commands)
    guard works else {
      throw CommandFailure(
        status: .configuration,
        words: "the storage or the backend does not work with these settings: correct \(place.configuration) or its "
          + "keys, and try again with waybill check --config \(place.configuration) --no-spools --probe")
    }
    Output.folded(
      "To see a file go through: waybill\(place.option) add FILE --spool \(TOMLText.spoolName(of: path)) --wait")
  }

  private func groups(_ place: SetupPlace) -> String { "\(place.group),\(common.group ?? "waybill-drop")" }

  /// The user who has become root.
  private var person: String {
    let user = ProcessInfo.processInfo.environment["SUDO_USER", default: ""]
    return user.isEmpty || user == "root" ? "NAME" : DisplayText.escape(user)
  }

  /// Throws if there is a configuration: it is never changed.
  private func requireNoConfiguration(_ place: SetupPlace) throws(CommandFailure) {
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

  private func tryOut(_ place: SetupPlace) async throws -> Bool {
    Output.line("Trying the storage and the backend …")
    // The service has neither the keys nor the home of who runs this.
    let environment = ProcessInfo.processInfo.environment.filter {
      $0.key != "HOME" && !$0.key.hasPrefix("AWS_") && !$0.key.hasPrefix("WAYBILL_")
    }
    let configuration = try Configuration.load(path: place.configuration, environment: environment)
    var report = FindingReport()
    try await Probe(configuration, environment: environment).run(&report)
    return report.faulty.isEmpty
  }
}

enum StorageKeys: Equatable {
  /// These are written into files.
  case typed(access: Secret, secret: Secret)
  case files(access: String, secret: String)
  case instance

  static func named(_ argument: String) throws -> StorageKeys {
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
