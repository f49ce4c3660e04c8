import ArgumentParser
import CommandParts
import Credentials
import Jobs

/// The options of `waybill init` that answer its questions.
struct InitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The storage service, by its name in docs/storages.md, e.g. aws, r2, minio; other for one that is not there.",
      valueName: "name")) var provider: String?
  @Option(help: ArgumentHelp("The address of the storage.", valueName: "url")) var endpoint: String?
  @Option(help: ArgumentHelp("The region that the storage's signatures name.", valueName: "region"))
  var region: String?
  @Option(help: ArgumentHelp("The bucket.", valueName: "name")) var bucket: String?
  @Option(
    help: ArgumentHelp(
      """
      The keys of the storage: env (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), aws or aws:PROFILE, rclone:REMOTE, \
      s3cfg, instance (the machine's role at AWS), or two files ID,SECRET, which stay where they are. The others \
      are copied into /etc/waybill/keys.
      """, valueName: "from")) var keys: String?
  @Option(help: ArgumentHelp("The address that registrations go to.", valueName: "url")) var backend: String?
  @Option(
    help: ArgumentHelp("A file with the backend's token, which stays where it is.", valueName: "file"),
    completion: .file()) var backendTokenFile: String?
  @Flag(
    help: ArgumentHelp(
      """
      Use the sandbox on this machine (the package waybill-sandbox) as the storage and as the backend, unless other \
      options name them.
      """)) var sandbox = false
  @Option(
    help: ArgumentHelp(
      "The directory that files are dropped into. Default: \(SetupAnswers.usualSpool).", valueName: "path"),
    completion: .directory) var spool: String?
  @Flag(help: "At the end, drop a test file, which is registered with the backend.") var testFile = false
  @Flag(help: "Neither start the service nor enable it.") var noStart = false

  func validate() throws {
    if let provider, Provider.named(provider) == nil {
      let names = Provider.all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no provider '\(provider)'. The providers are: \(names), other.")
    }
    if let spool, !Self.isPlain(spool) {
      throw ValidationError(
        "\(spool) is not an absolute path: begin it with /, without //, . or .. in it or / at its end.")
    }
    if let backend, !backend.hasPrefix("http://"), !backend.hasPrefix("https://") {
      throw ValidationError("--backend needs an address that begins with https:// or http://.")
    }
    for (option, file) in [("--backend-token-file", backendTokenFile)] + keyFiles.map({ ("--keys", $0) }) {
      if let file, !file.hasPrefix("/") { throw ValidationError("\(option) needs absolute paths of files.") }
    }
  }

  /// True if a path can be a spool's, and a unit can name it.
  static func isPlain(_ path: String) -> Bool {
    guard path.hasPrefix("/"), path.count > 1, !path.contains("//"), !path.hasSuffix("/"), UnitDropIn.canName(path)
    else { return false }
    return !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  private var keyFiles: [String?] {
    guard let keys, keys.contains(",") else { return [] }
    return keys.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Adds what the options say to what is known.
  func apply(to answers: inout SetupAnswers, _ search: KeySearch) throws(CommandFailure) {
    answers.provider = provider.flatMap(Provider.named) ?? answers.provider
    if sandbox, provider == nil, endpoint == nil { answers.provider = .sandbox }
    answers.endpoint = endpoint ?? answers.endpoint
    answers.region = region ?? answers.region
    answers.bucket = bucket ?? answers.bucket
    answers.backend = backend ?? (sandbox ? LocalSandbox.backend : answers.backend)
    answers.tokenFile = backendTokenFile ?? answers.tokenFile
    answers.spool = spool ?? answers.spool
    if let keys {
      let files = keyFiles.compactMap(\.self)
      if files.count == 2 {
        answers.keys = .files(access: files[0], secret: files[1])
      } else if keys == "instance" {
        answers.keys = .instance
        if answers.provider == nil, answers.endpoint == nil { answers.provider = Provider.named("aws") }
      } else if let found = search.named.first(where: { $0.isMeant(by: keys) }) {
        answers.use(found)
      } else {
        let known = search.found.map(\.shown).joined(separator: "; ")
        throw CommandFailure(
          status: .validationFailure,
          words: "no keys were found by --keys \(DisplayText.escape(keys)). "
            + (known.isEmpty ? "None were found at all" : "Found: \(known)")
            + search.left.map { ". \($0)" }.joined())
      }
    }
    answers.conclude()
  }
}
