import ArgumentParser
import CommandParts
import Credentials
import Jobs
import Linux

struct InitQuestion: Sendable {
  let prompt: String
  let help: String
  var isHidden = false
  /// Returns the reason why an answer cannot be right; nil for one that may be.
  let fault: @Sendable (String) -> String?

  static let endpoint = InitQuestion(
    prompt: "Storage, e.g. https://s3.eu-central-1.amazonaws.com",
    help: "The address of the storage without the bucket; docs/storages.md lists those of services.",
    fault: fault(ofAddress:))
  static let region = InitQuestion(
    prompt: "Region, e.g. eu-central-1",
    help: "The region that signatures name; many servers take any. Default: the address's region, else us-east-1.",
    fault: { $0.isEmpty ? "Type the name of the region." : nil })
  static let bucket = InitQuestion(
    prompt: "Bucket, e.g. documents", help: "The bucket that files go into. It must exist: nothing creates it.",
    fault: { $0.isEmpty ? "Type the name of the bucket." : nil })
  static let access = InitQuestion(
    prompt: "Id of the key, e.g. AKIAIOSFODNN7EXAMPLE",
    help: "The id of the storage's access key; i for the role of this machine at AWS.", fault: fault(ofSecret:))
  static let secret = InitQuestion(
    prompt: "Secret of the key (not shown)",
    help: "The secret that belongs to the id. It is written into a file beside the configuration.", isHidden: true,
    fault: fault(ofSecret:))
  static let spool = InitQuestion(
    prompt: "Directory that files are dropped into",
    help: "The spool: files that appear in it are sent, and then removed. Default: \(SpoolSetup.usual).",
    fault: { SpoolSetup.fault(of: $0) })
  static let backend = InitQuestion(
    prompt: "Backend, e.g. https://api.example.com/documents",
    help: "Your backend: it gets a POST with the link of each file. docs/backend.md has the form.",
    fault: fault(ofAddress:))
  static let token = InitQuestion(
    prompt: "Token of the backend (not shown; empty: none)",
    help: "It is sent in the header Authorization: Bearer.", isHidden: true,
    fault: { $0.isEmpty ? nil : fault(ofSecret: $0) })

  @Sendable private static func fault(ofAddress text: String) -> String? {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) && text != scheme && !text.contains(" ") {
      return nil
    }
    return "Type an address that begins with https:// or http://."
  }

  @Sendable private static func fault(ofSecret text: String) -> String? {
    Secret(text: text) == nil ? "Type or paste it in one line." : nil
  }

  /// Asks until an answer may be right.
  func ask(
    usual: String = "", _ read: (_ prompt: String, _ isHidden: Bool) -> String?
  ) throws(CommandFailure) -> String {
    let shown = usual.isEmpty ? "" : " [\(usual)]"
    while true {
      guard let line = read("\(prompt)\(shown): ", isHidden) else {
        throw CommandFailure(words: "nothing was changed: the input has ended")
      }
      let answer = line[...].trimmed
      let value = answer.isEmpty ? usual : answer
      if answer == "?" {
        Output.folded(help)
      } else if let fault = fault(value) {
        Output.folded(fault)
      } else {
        return value
      }
    }
  }
}

struct InitOptions: ParsableArguments {
  @Option(help: ArgumentHelp(InitQuestion.endpoint.help, valueName: "url")) var endpoint: String?
  @Option(help: ArgumentHelp(InitQuestion.region.help, valueName: "region")) var region: String?
  @Option(help: ArgumentHelp(InitQuestion.bucket.help, valueName: "name")) var bucket: String?
  @Option(
    help: ArgumentHelp(
      """
      The keys of the storage: env (copies AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY into files), instance (the \
      machine's role at AWS), or two files ID,SECRET.
      """, valueName: "from"), transform: StorageKeys.named) var keys: StorageKeys?
  @Option(help: ArgumentHelp(InitQuestion.backend.help, valueName: "url")) var backend: String?
  @Option(help: ArgumentHelp("The file of the backend's token.", valueName: "file"), completion: .file())
  var backendTokenFile: String?
  @Option(help: ArgumentHelp(InitQuestion.spool.help, valueName: "path"), completion: .directory) var spool: String?

  func validate() throws {
    for (option, value, question) in [
      ("endpoint", endpoint, InitQuestion.endpoint), ("backend", backend, .backend), ("spool", spool, .spool),
    ] {
      if let fault = value.flatMap(question.fault) { throw ValidationError("--\(option): \(fault)") }
    }
    var files = [backendTokenFile].compactMap(\.self)
    if case .files(let access, let secret)? = keys { files += [access, secret] }
    for file in files {
      guard file.hasPrefix("/") else { throw ValidationError("\(file) is not an absolute path.") }
      do throws(FileError) {
        _ = try readSmallFile(path: file, limit: 1 << 20)
      } catch {
        // --print needs no root.
        guard error.code == "EACCES" else { throw ValidationError("\(file) cannot be read: \(error.reason).") }
      }
    }
  }

  var missing: [String] {
    [
      ("--endpoint", endpoint == nil), ("--bucket", bucket == nil), ("--keys", keys == nil),
      ("--backend", backend == nil),
    ].filter(\.1).map(\.0)
  }

  private var usualRegion: String { region ?? AWSHost(endpoint ?? "")?.region ?? "us-east-1" }

  /// Asks for what is not known yet, in the order in which a person thinks.
  /// - Returns: the backend's token, if one was typed.
  mutating func complete(_ read: (_ prompt: String, _ isHidden: Bool) -> String?) throws(CommandFailure) -> Secret? {
    if endpoint == nil { endpoint = try InitQuestion.endpoint.ask(read) }
    if region == nil { region = try InitQuestion.region.ask(usual: usualRegion, read) }
    if bucket == nil { bucket = try InitQuestion.bucket.ask(read) }
    if keys == nil {
      let id = try InitQuestion.access.ask(read)
      if id.lowercased() == "i" {
        keys = .instance
      } else if let access = Secret(text: id), let secret = Secret(text: try InitQuestion.secret.ask(read)) {
        keys = .typed(access: access, secret: secret)
      }
    }
    if spool == nil { spool = try InitQuestion.spool.ask(usual: SpoolSetup.usual, read) }
    guard backend == nil else { return nil }
    backend = try InitQuestion.backend.ask(read)
    return backendTokenFile == nil ? Secret(text: try InitQuestion.token.ask(read)) : nil
  }

  func files(at place: SetupPlace, token: Secret?) -> [SetupFile] {
    var secrets: [(name: String, secret: Secret)] = []
    if case .typed(let access, let secret)? = keys {
      secrets = [("s3-access-key", access), ("s3-secret-key", secret)]
    }
    if let token { secrets.append(("backend-token", token)) }
    return secrets.map { name, secret in
      SetupFile(
        path: place.keys + name, bytes: secret.bytes + [0x0A], group: place.group, reader: place.user,
        remedy: "name it (--keys, --backend-token-file), or remove it")
    } + [
      SetupFile(
        path: place.configuration, bytes: Array(toml(at: place, token: token).utf8), group: place.group,
        remedy: "remove it")
    ]
  }

  private func toml(at place: SetupPlace, token: Secret?) -> String {
    var lines = [
      "#:schema file:///usr/share/waybill/schemas/waybill.toml.json",
      "# Made by waybill init. The manual is waybill.toml(5); all settings with",
      "# their defaults: /usr/share/doc/waybill/examples/waybill-all.toml",
      "", "[storage.main]",
      "endpoint   = \(TOMLText.quoted(endpoint ?? ""))",
      "region     = \(TOMLText.quoted(usualRegion))",
      "bucket     = \(TOMLText.quoted(bucket ?? ""))",
    ]
    func file(_ key: String, _ path: String) -> String { "\(key) = { file = \(TOMLText.quoted(path)) }" }
    switch keys {
    case .typed?:
      lines += [file("access_key", place.keys + "s3-access-key"), file("secret_key", place.keys + "s3-secret-key")]
    case .files(let access, let secret)?: lines += [file("access_key", access), file("secret_key", secret)]
    case .instance?, nil: lines += ["access_key", "secret_key"].map { "\($0) = { aws = \"default\" }" }
    }
    lines += ["", "[backend.main]", "url = \(TOMLText.quoted(backend ?? ""))"]
    if let path = token == nil ? backendTokenFile : place.keys + "backend-token" { lines.append(file("token", path)) }
    return (lines + [""]).joined(separator: "\n") + "\n" + TOMLText.spool(spool ?? SpoolSetup.usual)
  }
}
