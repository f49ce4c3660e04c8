import ArgumentParser
import CommandParts
import Credentials
import Linux

/// The options of `waybill init` that answer its questions.
struct InitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address of the storage.", valueName: "url")) var endpoint: String?
  @Option(
    help: ArgumentHelp(
      """
      The region for signatures. Default: the address's region, else \(SetupAnswers.usualRegion).
      """, valueName: "region"))
  var region: String?
  @Option(help: ArgumentHelp("The bucket.", valueName: "name")) var bucket: String?
  @Option(
    help: ArgumentHelp(
      """
      The keys of the storage: env (copies AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY into files), instance (the \
      machine's role at AWS), or two files ID,SECRET.
      """, valueName: "from")) var keys: String?
  @Option(help: ArgumentHelp("The address that registrations go to.", valueName: "url")) var backend: String?
  @Option(
    help: ArgumentHelp("The file of the backend's token.", valueName: "file"),
    completion: .file()) var backendTokenFile: String?
  @Option(
    help: ArgumentHelp(
      "The directory that files are dropped into. Default: \(SetupAnswers.usualSpool).", valueName: "path"),
    completion: .directory) var spool: String?
  @Flag(help: "At the end, drop a test file; the backend gets its registration.") var testFile = false
  @Flag(help: "Neither start the service nor enable it.") var noStart = false

  func validate() throws {
    if let spool, !SpoolSetup.isPlain(spool) {
      throw ValidationError(
        "\(spool) is not an absolute path: begin it with /, without //, . or .. in it or / at its end.")
    }
    for (option, address) in [("--endpoint", endpoint), ("--backend", backend)] {
      if let address, !InitDialog.isAddress(address) {
        throw ValidationError("\(option) needs an address that begins with https:// or http://.")
      }
    }
    if let keys, keys != "env", keys != "instance", keyFiles.count != 2 || !keyFiles.allSatisfy({ $0.hasPrefix("/") }) {
      throw ValidationError("--keys needs env, instance, or the absolute paths of two files: ID,SECRET.")
    }
    if let backendTokenFile, !backendTokenFile.hasPrefix("/") {
      throw ValidationError("--backend-token-file needs an absolute path.")
    }
  }

  private var keyFiles: [String] { keys.map { $0.split(separator: ",").map(String.init) } ?? [] }

  /// Returns what the options say.
  func answers(_ environment: [String: String]) throws(CommandFailure) -> SetupAnswers {
    var answers = SetupAnswers()
    (answers.endpoint, answers.region, answers.bucket) = (endpoint, region, bucket)
    (answers.spool, answers.backend, answers.tokenFile) = (spool, backend, backendTokenFile)
    for file in keyFiles + [backendTokenFile ?? ""] where file.hasPrefix("/") {
      if let fault = InitDialog.fault(ofFile: file) {
        throw CommandFailure(status: .validationFailure, words: fault)
      }
    }
    switch keys {
    case nil: break
    case "instance"?: answers.keys = .instance
    case "env"?:
      guard environment["AWS_SESSION_TOKEN", default: ""].isEmpty else {
        throw CommandFailure(
          status: .validationFailure,
          words: "the keys in the environment have AWS_SESSION_TOKEN: they end within hours, and a service needs others"
        )
      }
      guard let access = environment["AWS_ACCESS_KEY_ID"].flatMap({ Secret(text: $0) }),
        let secret = environment["AWS_SECRET_ACCESS_KEY"].flatMap({ Secret(text: $0) })
      else {
        throw CommandFailure(
          status: .validationFailure, words: "--keys env needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
      }
      answers.keys = .typed(access: access, secret: secret)
    case _?: answers.keys = .files(access: keyFiles[0], secret: keyFiles[1])
    }
    return answers
  }
}

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
}
