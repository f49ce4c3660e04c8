import CommandParts
import Credentials
import Jobs

/// The questions of `waybill init`. Each has an example or a default, and `?` explains it.
struct InitDialog {
  /// Reads an answer after a prompt; hidden if it is a secret.
  let read: (_ prompt: String, _ isHidden: Bool) async throws -> String
  /// Shows a line.
  let say: (String) -> Void

  /// The most questions that are left, with those about the directory, the test file and the start.
  static func count(_ answers: SetupAnswers) -> Int {
    var count = 3
    if answers.endpoint == nil { count += answers.provider == nil ? 3 : 2 } else if answers.region == nil { count += 1 }
    if answers.bucket == nil { count += 1 }
    if answers.keys == nil { count += 3 }
    if answers.spool == nil { count += 1 }
    if answers.backend == nil { count += 2 }
    return count
  }

  /// Asks for what is not known yet.
  func complete(_ answers: inout SetupAnswers, _ search: KeySearch) async throws {
    try await askStorage(&answers, search, again: false)
    if answers.spool == nil {
      answers.spool = try await ask(
        "Directory that files are dropped into", usual: SetupAnswers.usualSpool,
        help: "The spool: files that appear in it are sent, and then removed. It is made if it is missing.",
        check: {
          InitOptions.isPlain($0) ? nil : "Type an absolute path: /, no //, . or .. in it, and no / at its end."
        })
    }
    if answers.backend == nil { try await askBackend(&answers) }
  }

  /// Asks about the storage: for what is not known yet, or about all of it again. Then Enter keeps an answer.
  func askStorage(_ answers: inout SetupAnswers, _ search: KeySearch, again: Bool) async throws {
    try await askAddress(&answers, search, again)
    if again || answers.bucket == nil {
      answers.bucket = try await ask(
        "Bucket, e.g. documents", usual: answers.bucket,
        help: "The bucket that files go into. It has to be there already: nothing creates it.",
        check: { $0.isEmpty ? "Type the name of the bucket." : nil })
    }
    if again || answers.keys == nil { try await askKeys(&answers, search.found) }
    answers.conclude()
  }

  /// Asks about the backend. Enter keeps an answer that was given before.
  func askBackend(_ answers: inout SetupAnswers) async throws {
    let address = try await ask(
      "Backend, e.g. https://api.example.com/documents (s: the sandbox)",
      usual: answers.backend ?? (answers.provider == .sandbox ? "s" : nil),
      help: "Your backend: it gets a POST with the link of each file. docs/backend.md has the form.",
      check: { $0 == "s" || Self.isAddress($0) ? nil : "Type an address that begins with https://, or s." })
    answers.backend = address == "s" ? LocalSandbox.backend : address
    guard address != "s", address != LocalSandbox.backend, answers.tokenFile == nil else { return }
    let token = try await ask(
      "Token of the backend (not shown; empty: \(answers.token == nil ? "none" : "as before"))", isHidden: true,
      help: "It is sent in the header Authorization: Bearer.",
      check: { $0.isEmpty || Secret(text: $0) != nil ? nil : "Type or paste it in one line." })
    if !token.isEmpty { answers.token = Secret(text: token) }
  }

  /// Asks y or n.
  func confirm(_ question: String, usually: Bool) async throws -> Bool {
    while true {
      switch try await read("\(question) \(usually ? "[Y/n]" : "[y/N]") ", false).lowercased() {
      case "": return usually
      case "y", "yes": return true
      case "n", "no": return false
      default: say("Type y or n.")
      }
    }
  }

  private func ask(
    _ question: String, usual: String? = nil, isHidden: Bool = false, help: String, check: (String) -> String?
  ) async throws -> String {
    while true {
      let shown = usual.map { " [\(DisplayText.escape($0))]" } ?? ""
      let answer = try await read("\(question)\(shown): ", isHidden).trimmingSpaces
      if answer == "?" {
        say(help)
        continue
      }
      let value = answer.isEmpty ? usual ?? "" : answer
      guard let fault = check(value) else { return value }
      say(fault)
    }
  }

  private func askAddress(_ answers: inout SetupAnswers, _ search: KeySearch, _ again: Bool) async throws {
    // The address that another tool has beside its keys is the likely answer.
    let found = search.found.first
    if again || answers.provider == nil && answers.endpoint == nil {
      let likely = found.map { $0.endpoint.map { Provider.at($0)?.provider ?? .other } ?? Provider.all[0] }
      let usual = answers.provider ?? (answers.endpoint == nil ? likely : .other)
      let name = try await ask(
        "Storage service, e.g. aws, r2, minio (? lists them)", usual: usual?.name,
        help: (Provider.all + [.other]).map(\.name).joined(separator: "; ")
          + "; s for the sandbox on this machine. Its row in docs/storages.md has notes.",
        check: { Provider.named($0) == nil ? "There is no such service; type ? for the list, or other." : nil })
      let provider = Provider.named(name)
      if let before = answers.provider, before != provider { (answers.endpoint, answers.region) = (nil, nil) }
      answers.provider = provider
      answers.conclude()
    }
    let provider = answers.provider ?? .other
    func isOneWord(_ text: String) -> String? {
      text.isEmpty || text.contains("/") ? "Type it as it stands in the address." : nil
    }
    switch (provider.endpoint, provider.region) {
    case (.fixed, _): return
    case (.pattern(let pattern, _), .inEndpoint(let example)):
      guard again || answers.endpoint == nil else { return }
      let region = try await ask(
        "Region of the bucket, e.g. \(example)", usual: answers.region ?? found?.region ?? example,
        help: "The address is then \(pattern).", check: isOneWord)
      (answers.region, answers.endpoint) = (region, provider.address(region))
    case (.pattern(let pattern, let word), _) where answers.endpoint == nil:
      let name = try await ask(
        "\(word.prefix(1) + word.dropFirst().lowercased()), as in \(pattern)",
        help: "It is a part of the storage's address.", check: isOneWord)
      answers.endpoint = provider.address(name)
    default:
      if again || answers.endpoint == nil {
        answers.endpoint = try await ask(
          "Address of the storage, e.g. https://s3.example.com", usual: answers.endpoint ?? found?.endpoint,
          help: "The URL without the bucket.",
          check: { Self.isAddress($0) ? nil : "Type an address that begins with https:// or http://." })
      }
      answers.conclude()
      guard again || answers.region == nil else { return }
      answers.region = try await ask(
        "Region, e.g. us-east-1", usual: answers.region ?? provider.region.usual,
        help: "The region that signatures name; many servers take any.",
        check: { $0.isEmpty ? "Type the name of the region." : nil })
    }
    answers.conclude()
  }

  private func askKeys(_ answers: inout SetupAnswers, _ found: [FoundKeys]) async throws {
    say("Keys that may write into the bucket:")
    for (index, keys) in found.enumerated() { say("  \(index + 1)  \(keys.shown)") }
    say("  t  type them")
    say("  i  the role that this machine has at AWS")
    let keeps = answers.keys != nil && !answers.keysAreTyped
    if keeps { say("  k  keep those that were used now") }
    let choices = Set(found.indices.map { String($0 + 1) } + ["t", "i"] + (keeps ? ["k"] : []))
    let choice = try await ask(
      "Keys", usual: keeps ? "k" : found.isEmpty || answers.keysAreTyped ? "t" : "1",
      help: "They are copied into /etc/waybill/keys, where the service reads them.",
      check: { choices.contains($0) ? nil : "Type one of the signs on the left." })
    switch choice {
    case "k": return
    case "i": (answers.keys, answers.keysAreTyped) = (.instance, false)
    case "t": try await typeKeys(&answers)
    default: if let number = Int(choice) { answers.use(found[number - 1]) }
    }
  }

  private func typeKeys(_ answers: inout SetupAnswers) async throws {
    var before: (access: Secret, secret: Secret)?
    if answers.keysAreTyped, case .written(let access, let secret, _)? = answers.keys { before = (access, secret) }
    func isSecret(_ text: String) -> String? { Secret(text: text) == nil ? "Type or paste it in one line." : nil }
    let access = try await ask(
      "Id of the key, e.g. AKIAIOSFODNN7EXAMPLE", usual: before?.access.text, help: "The access key, which is shown.",
      check: isSecret)
    let secret = try await ask(
      "Secret of the key (not shown\(before == nil ? "" : "; empty: as before"))", isHidden: true,
      help: "The secret key that belongs to the id.", check: { $0.isEmpty && before != nil ? nil : isSecret($0) })
    guard let access = Secret(text: access), let secret = secret.isEmpty ? before?.secret : Secret(text: secret) else {
      return
    }
    (answers.keys, answers.keysAreTyped) = (.written(access: access, secret: secret, token: nil), true)
  }

  private static func isAddress(_ text: String) -> Bool {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) && text != scheme { return !text.contains(" ") }
    return false
  }
}

extension String {
  /// The text without spaces and tabs at its ends.
  fileprivate var trimmingSpaces: String {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
