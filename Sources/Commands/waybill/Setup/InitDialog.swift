import CommandParts
import Credentials
import Jobs
import Linux

/// The questions of `waybill init`. Each has an example or a default, and `?` explains it.
struct InitDialog {
  /// Reads an answer after a prompt; hidden if it is a secret.
  let read: (_ prompt: String, _ isHidden: Bool) async throws -> String
  /// Shows a line.
  let say: (String) -> Void

  /// The most questions that are left, with that about the plan.
  static func count(_ answers: SetupAnswers) -> Int {
    1 + (answers.endpoint == nil ? 2 : answers.region == nil ? 1 : 0) + (answers.bucket == nil ? 1 : 0)
      + (answers.keys == nil ? 2 : 0) + (answers.spool == nil ? 1 : 0) + (answers.backend == nil ? 2 : 0)
  }

  /// Asks for what is not known yet, in the order in which a person thinks. Enter keeps what was answered before.
  func complete(_ answers: inout SetupAnswers, before: SetupAnswers = SetupAnswers()) async throws {
    var before = before
    if answers.endpoint == nil {
      let answer = try await ask(
        "Storage, e.g. aws or https://s3.example.com (? lists)", usual: before.endpoint,
        help: "The address of the storage without the bucket, or one of "
          + Provider.all.map(\.name).joined(separator: ", ") + ".",
        check: {
          Provider.named($0) != nil || Self.isAddress($0)
            ? nil : "There is no such service: type ? for the list, or an address that begins with https://."
        })
      // The region was that of the earlier address.
      if answer != before.endpoint { before.region = nil }
      if let provider = Provider.named(answer) {
        try await use(provider, &answers)
      } else {
        answers.endpoint = answer
      }
    }
    if answers.region == nil {
      answers.region = try await ask(
        "Region, e.g. eu-central-1", usual: before.region ?? answers.likelyRegion,
        help: "The region that signatures name; many servers take any.",
        check: { $0.isEmpty ? "Type the name of the region." : nil })
    }
    if answers.bucket == nil {
      answers.bucket = try await ask(
        "Bucket, e.g. documents", usual: before.bucket,
        help: "The bucket that files go into. It has to be there already: nothing creates it.",
        check: { $0.isEmpty ? "Type the name of the bucket." : nil })
    }
    if answers.keys == nil { answers.keys = try await askKeys(before.keys) }
    if answers.spool == nil {
      answers.spool = try await ask(
        "Directory that files are dropped into", usual: SetupAnswers.usualSpool,
        help: "The spool: files that appear in it are sent, and then removed. It is made if it is missing.",
        check: { SpoolSetup.fault(of: $0) })
    }
    if answers.backend == nil { try await askBackend(&answers, before) }
  }

  private func use(_ provider: Provider, _ answers: inout SetupAnswers) async throws {
    var value = ""
    if let word = provider.word, let example = provider.example {
      value = try await ask(
        "\(word.prefix(1) + word.dropFirst().lowercased()), e.g. \(example)",
        usual: provider.region == nil ? answers.region : nil,
        help: "It is a part of the storage's address, \(provider.endpoint).",
        check: { $0.isEmpty || $0.contains("/") ? "Type it as it stands in the address." : nil })
    }
    answers.endpoint = provider.address(value)
    answers.region = provider.region == nil ? value : answers.region ?? provider.region
  }

  private func askKeys(_ before: SetupAnswers.Keys?) async throws -> SetupAnswers.Keys {
    let (id, file, secret): (String?, String?, Secret?) =
      switch before {
      case nil: (nil, nil, nil)
      case .instance?: ("i", nil, nil)
      case .files(let access, let secret)?: (access, secret, nil)
      case .typed(let access, let secret)?: (access.text, nil, secret)
      }
    func fault(_ text: String) -> String? { Secret(text: text) == nil ? "Type or paste it in one line." : nil }
    let access = try await ask(
      "Id of the key, e.g. AKIAIOSFODNN7EXAMPLE", usual: id,
      help: "The access key, or the path of a file that has it; i for the role that this machine has at AWS.",
      check: { fault($0) ?? ($0.hasPrefix("/") ? Self.fault(ofFile: $0) : nil) })
    if access == "i" { return .instance }
    if access.hasPrefix("/") {
      let file = try await ask(
        "File with the secret of the key, e.g. /run/keys/s3-secret-key", usual: file,
        help: "Both files stay where they are, and the service reads them there.",
        check: { $0.hasPrefix("/") ? Self.fault(ofFile: $0) : "Type an absolute path." })
      return .files(access: access, secret: file)
    }
    let typed = try await ask(
      "Secret of the key (not shown\(secret == nil ? "" : "; empty: as before"))", isHidden: true,
      help: "The secret key that belongs to the id. It is written into keys beside the configuration, for the service.",
      check: { $0.isEmpty && secret != nil ? nil : fault($0) })
    guard let access = Secret(text: access), let secret = Secret(text: typed) ?? secret else {
      return try await askKeys(before)
    }
    return .typed(access: access, secret: secret)
  }

  private func askBackend(_ answers: inout SetupAnswers, _ before: SetupAnswers) async throws {
    answers.backend = try await ask(
      "Backend, e.g. https://api.example.com/documents", usual: before.backend,
      help: "Your backend: it gets a POST with the link of each file. docs/backend.md has the form.",
      check: { Self.isAddress($0) ? nil : "Type an address that begins with https://." })
    guard answers.tokenFile == nil else { return }
    let token = try await ask(
      "Token of the backend (not shown; empty: \(before.token == nil ? "none" : "as before"))", isHidden: true,
      help: "It is sent in the header Authorization: Bearer.",
      check: { $0.isEmpty || Secret(text: $0) != nil ? nil : "Type or paste it in one line." })
    answers.token = Secret(text: token) ?? before.token
  }

  /// Asks what to do after a trial that failed: change the answers (c), go on all the same (g), or stop (s).
  func askAfterTrial() async throws -> String {
    try await ask(
      "Change the answers (c), go on all the same (g), or stop (s)?", usual: "c",
      help: "c asks again for what has failed; g writes the configuration as it is; s changes nothing.",
      check: { ["c", "g", "s"].contains($0.lowercased()) ? nil : "Type c, g or s." }
    ).lowercased()
  }

  /// Asks y or n.
  func confirm(_ question: String, usually: Bool) async throws -> Bool {
    let answer = try await ask(
      "\(question) \(usually ? "[Y/n]" : "[y/N]")", help: "y does what is listed; n changes nothing.",
      check: { ["", "y", "yes", "n", "no"].contains($0.lowercased()) ? nil : "Type y or n." })
    return answer.isEmpty ? usually : answer.lowercased().hasPrefix("y")
  }

  private func ask(
    _ question: String, usual: String? = nil, isHidden: Bool = false, help: String, check: (String) -> String?
  ) async throws -> String {
    while true {
      let shown = usual.map { " [\(DisplayText.escape($0))]" } ?? ""
      let answer = try await read("\(question)\(shown): ", isHidden).trimmed
      if answer == "?" {
        say(help)
        continue
      }
      let value = answer.isEmpty ? usual ?? "" : answer
      guard let fault = check(value) else { return value }
      say(fault)
    }
  }

  /// Returns the reason why a file cannot be used, e.g. because it is not there; nil for one that only this user may
  /// not read: --print needs no root.
  static func fault(ofFile path: String) -> String? {
    do throws(FileError) {
      _ = try readSmallFile(path: path, limit: 1 << 20)
    } catch {
      return error.code == "EACCES" ? nil : "\(DisplayText.escape(path)) cannot be read: \(error.reason)."
    }
    return nil
  }

  /// True if a text can be the address of a storage or a backend.
  static func isAddress(_ text: String) -> Bool {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) && text != scheme { return !text.contains(" ") }
    return false
  }
}

extension InitDialog {
  /// The dialog with the person at the terminal. A signal ends the process.
  init(with person: Person) {
    self.init(
      read: { prompt, isHidden in
        do {
          if let line = try await person.line(prompt, isHidden: isHidden) { return line }
        } catch let end as Person.Ended {
          if let signal = end.signal { person.end(by: signal) }
        }
        throw CommandFailure(words: "nothing was changed: the input has ended")
      }, say: { Output.folded($0) })
  }
}
