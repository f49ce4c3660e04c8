import Credentials
import Synchronization
import Testing

@testable import waybill

/// The questions of `waybill init`, with the answers of a person.
@Suite struct InitDialogTests {
  /// Answers in their order, and what was asked.
  private final class Person: Sendable {
    struct State: Sendable {
      var answers: [String]
      var asked: [String] = []
      var hidden: [String] = []
      var said: [String] = []
    }
    let state: Mutex<State>

    init(_ answers: [String]) { state = Mutex(State(answers: answers)) }

    var dialog: InitDialog {
      InitDialog(
        read: { prompt, isHidden in
          try self.state.withLock { state in
            state.asked.append(prompt)
            if isHidden { state.hidden.append(prompt) }
            guard !state.answers.isEmpty else {
              throw CommandFailure(status: .unavailable, words: "no answer to \(prompt)")
            }
            return state.answers.removeFirst()
          }
        }, say: { line in self.state.withLock { $0.said.append(line) } }, isUser: { $0 == "kim" })
    }
  }

  private let none = KeySearch(homes: [], environment: [:]) { _ in nil }

  private func complete(
    _ answers: [String], _ search: KeySearch? = nil, _ start: SetupDraft = SetupDraft()
  ) async throws -> (draft: SetupDraft, person: Person.State) {
    let person = Person(answers)
    var draft = start
    try await person.dialog.complete(&draft, search ?? none)
    let state = person.state.withLock { $0 }
    #expect(state.answers.isEmpty, "not asked for: \(state.answers)")
    return (draft, state)
  }

  @Test func foundKeysNeedSixAnswers() async throws {
    let search = KeySearch(homes: ["/root"], environment: [:]) { path in
      path.hasSuffix("rclone.conf")
        ? "[m]\ntype = s3\naccess_key_id = a\nsecret_access_key = b\nendpoint = http://127.0.0.1:9000\n" : nil
    }
    let (draft, person) = try await complete(["", "documents", "https://api.example.com", "", "", ""], search)
    let answers = try #require(draft.answers)
    #expect(answers.storage.endpoint == "http://127.0.0.1:9000" && answers.storage.region == "us-east-1")
    #expect(answers.spools.map(\.path) == [SetupDraft.usualSpool] && answers.people == [])
    #expect(person.hidden == ["Token of the backend (not shown; empty: none): "])
    #expect(person.said.contains("  1  a… from /root/.config/rclone/rclone.conf, remote m"))
  }

  @Test func typedKeysAndRegion() async throws {
    let (draft, person) = try await complete(
      ["t", "AKIA", "secret", "1", "eu-west-3", "documents", "https://api.example.com", "token", "/srv/scans", "kim"])
    let answers = try #require(draft.answers)
    #expect(answers.storage.endpoint == "https://s3.eu-west-3.amazonaws.com" && answers.storage.region == "eu-west-3")
    #expect(
      answers.storage.keys
        == .written(
          access: try #require(Secret(text: "AKIA")), secret: try #require(Secret(text: "secret")), token: nil))
    #expect(answers.backend.token == Secret(text: "token") && answers.people == ["kim"])
    #expect(person.hidden.count == 2 && !person.asked.joined().contains("secret\n"))
    #expect(person.asked.allSatisfy { $0.count < 80 })
  }

  @Test func accountIsPartOfAddress() async throws {
    var start = SetupDraft()
    start.provider = Provider.named("r2")
    let (draft, _) = try await complete(["t", "id", "secret", "0123abc", "b", "s", "", ""], none, start)
    #expect(draft.answers?.storage.endpoint == "https://0123abc.r2.cloudflarestorage.com")
    #expect(draft.answers?.storage.region == "auto" && draft.answers?.usesSandbox == true)
  }

  @Test func sandboxNeedsThreeAnswers() async throws {
    let (draft, _) = try await complete(["s", "", "", ""])
    let answers = try #require(draft.answers)
    #expect(
      answers.usesSandbox && answers.storage == LocalSandbox.storage && answers.backend.url == LocalSandbox.backend)
  }

  @Test func wrongAnswersAreAskedAgain() async throws {
    let (draft, person) = try await complete([
      "9", "?", "t", "AKIA", "secret", "99", "5", "ftp://x", "http://127.0.0.1:9000", "", "", "docs", "api", "?",
      "http://api", "", "scans", "/srv/../x", "/srv/scans", "kin", "kim",
    ])
    #expect(draft.answers?.storage.bucket == "docs" && draft.answers?.spools.map(\.path) == ["/srv/scans"])
    #expect(
      person.said.contains { $0.hasPrefix("Your backend: ") }
        && person.said.contains { $0.hasPrefix("The key that may") })
  }

  @Test func optionsAreNotAskedFor() async throws {
    var start = SetupDraft()
    start.keys = .instance
    start.endpoint = "https://s3.eu-central-1.amazonaws.com"
    (start.bucket, start.backend, start.people) = ("b", "https://api.example.com", ["kim"])
    start.tokenFile = "/run/token"
    start.spools = [SetupAnswers.Spool(path: "/srv/scans")]
    start.conclude()
    #expect(start.missing.isEmpty && start.region == "eu-central-1")
    let (draft, person) = try await complete([], none, start)
    #expect(person.asked.isEmpty && draft.answers != nil)
  }
}
