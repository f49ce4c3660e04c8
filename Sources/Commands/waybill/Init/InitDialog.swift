import CommandParts
import Credentials
import Jobs

/// The questions of `waybill init`. Each has a default where there can be one, and `?` explains it.
struct InitDialog {
  /// Reads an answer after a prompt; hidden if it is a secret.
  let read: (_ prompt: String, _ isHidden: Bool) async throws -> String
  /// Shows a line.
  let say: (String) -> Void
  /// True if there is a user of that name.
  let isUser: (String) -> Bool

  /// Asks for what a draft does not know yet.
  func complete(_ draft: inout SetupDraft, _ search: KeySearch) async throws {
    if draft.keys == nil, !draft.storageIsSandbox { try await askKeys(&draft, search.found) }
    if !draft.storageIsSandbox {
      try await askAddress(&draft)
      if draft.bucket == nil {
        draft.bucket = try await ask(
          "Bucket", help: "The bucket that files go into. It has to be there already: nothing creates it.",
          check: { $0.isEmpty ? "Type the name of the bucket." : nil })
      }
    }
    if draft.backend == nil, !draft.backendIsSandbox { try await askBackend(&draft) }
    if draft.spools.isEmpty {
      let path = try await ask(
        "Directory that files are dropped into", usual: SetupDraft.usualSpool,
        help: "The spool: files that appear in it are sent, and then removed. It is made if it is missing.",
        check: {
          InitOptions.isPlain($0) ? nil : "Type an absolute path: /, no //, . or .. in it, and no / at its end."
        })
      draft.spools = [SetupAnswers.Spool(path: path)]
    }
    if draft.people == nil {
      let person = try await ask(
        "Who drops files, besides root", usual: "nobody",
        help: "A user of this machine, who then may drop files and use the command waybill.",
        check: { $0 == "nobody" || isUser($0) ? nil : "There is no user \(DisplayText.escape($0))." })
      draft.people = person == "nobody" ? [] : [person]
    }
  }

  /// Asks y or n.
  func confirm(_ question: String, usually: Bool) async throws -> Bool {
    while true {
      let answer = try await read("\(question) \(usually ? "[Y/n]" : "[y/N]") ", false).lowercased()
      switch answer {
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

  private func askKeys(_ draft: inout SetupDraft, _ found: [FoundKeys]) async throws {
    say("Keys of the storage:")
    for (index, keys) in found.enumerated() { say("  \(index + 1)  \(keys.shown)") }
    say("  t  type them")
    say("  i  the role that this machine has at AWS")
    say("  s  none: try it with the sandbox on this machine first")
    let choices = Set(found.indices.map { String($0 + 1) } + ["t", "i", "s"])
    let choice = try await ask(
      "Keys", usual: found.isEmpty ? "t" : "1",
      help: "The key that may write into the bucket. It is copied into /etc/waybill/keys, where the service reads it.",
      check: { choices.contains($0) ? nil : "Type one of the signs on the left." })
    switch choice {
    case "s": draft.storageIsSandbox = true
    case "i":
      draft.keys = .instance
      if draft.provider == nil, draft.endpoint == nil { draft.provider = Provider.named("aws") }
    case "t":
      func isSecret(_ text: String) -> String? { Secret(text: text) == nil ? "Type or paste it in one line." : nil }
      let access = try await ask("Id of the key", help: "The access key, e.g. AKIA….", check: isSecret)
      let secret = try await ask(
        "Secret of the key (not shown)", isHidden: true, help: "The secret key that belongs to the id.",
        check: isSecret)
      if let access = Secret(text: access), let secret = Secret(text: secret) {
        draft.keys = .written(access: access, secret: secret, token: nil)
      }
    default: if let number = Int(choice) { draft.use(found[number - 1]) }
    }
    draft.conclude()
  }

  private func askAddress(_ draft: inout SetupDraft) async throws {
    if draft.provider == nil, draft.endpoint == nil {
      say("Storage:")
      for (index, provider) in (Provider.all + [.other]).enumerated() {
        say("  \(String(repeating: " ", count: index < 9 ? 1 : 0))\(index + 1)  \(provider.name)")
      }
      let count = Provider.all.count + 1
      let number = try await ask(
        "Storage", usual: "1",
        help: "The service or server that has the bucket. Its row in docs/storages.md has notes.",
        check: { Int($0).map { (1...count).contains($0) } == true ? nil : "Type a number from 1 to \(count)." })
      draft.provider = (Provider.all + [.other])[(Int(number) ?? 1) - 1]
      draft.conclude()
    }
    let provider = draft.provider ?? .other
    if draft.endpoint == nil {
      switch (provider.endpoint, provider.region) {
      case (.pattern(let pattern, _), .inEndpoint(let example)):
        draft.region = try await ask(
          "Region", usual: example, help: "The region of the bucket. The address is then \(pattern).",
          check: { $0.isEmpty || $0.contains("/") ? "Type the name of the region." : nil })
      case (.pattern(let pattern, let word), _):
        let name = try await ask(
          word.prefix(1) + word.dropFirst().lowercased(), help: "It is a part of the address \(pattern).",
          check: { $0.isEmpty || $0.contains("/") ? "Type it as it stands in the address." : nil })
        draft.endpoint = provider.address(name)
      default:
        draft.endpoint = try await ask(
          "Address of the storage", help: "The URL without the bucket, e.g. https://s3.example.com:9000.",
          check: { Self.isAddress($0) ? nil : "Type an address that begins with https:// or http://." })
      }
      draft.conclude()
    }
    if draft.region == nil {
      draft.region = try await ask(
        "Region", usual: provider.region.usual, help: "The region that signatures name; many servers take any.",
        check: { $0.isEmpty ? "Type the name of the region." : nil })
    }
  }

  private func askBackend(_ draft: inout SetupDraft) async throws {
    say("Where links are registered: the address of your backend, or s for the sandbox.")
    let address = try await ask(
      "Backend", usual: draft.storageIsSandbox ? "s" : nil,
      help: "Your backend: it gets a POST with the link of each file. docs/backend.md has the form.",
      check: { $0 == "s" || Self.isAddress($0) ? nil : "Type an address that begins with https://, or s." })
    guard address != "s" else {
      draft.backendIsSandbox = true
      return
    }
    draft.backend = address
    guard draft.tokenFile == nil else { return }
    let token = try await ask(
      "Token of the backend (not shown; empty: none)", isHidden: true,
      help: "It is sent in the header Authorization: Bearer.",
      check: { $0.isEmpty || Secret(text: $0) != nil ? nil : "Type or paste it in one line." })
    draft.token = token.isEmpty ? nil : Secret(text: token)
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
