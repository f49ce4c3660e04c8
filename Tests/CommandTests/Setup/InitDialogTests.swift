import CommandParts
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
        }, say: { line in self.state.withLock { $0.said.append(line) } })
    }
  }

  private func complete(
    _ answers: [String], _ start: SetupAnswers = SetupAnswers()
  ) async throws -> (answers: SetupAnswers, person: Person.State) {
    let person = Person(answers)
    var known = start
    try await person.dialog.complete(&known)
    let state = person.state.withLock { $0 }
    #expect(state.answers.isEmpty, "not asked for: \(state.answers)")
    #expect(state.asked.count + 1 <= InitDialog.count(start), "more questions than were announced")
    #expect(known.missing.isEmpty)
    return (known, state)
  }

  private func keys(_ access: String, _ secret: String) throws -> SetupAnswers.Keys {
    .typed(access: try #require(Secret(text: access)), secret: try #require(Secret(text: secret)))
  }

  /// In the order in which a person thinks: storage, bucket, keys, spool, backend.
  @Test func typedKeysAndRegion() async throws {
    let (answers, person) = try await complete(
      ["aws", "eu-west-3", "documents", "AKIA", "secret", "/srv/scans", "https://api.example.com", "token"])
    #expect(answers.endpoint == "https://s3.eu-west-3.amazonaws.com" && answers.region == "eu-west-3")
    let typed = try keys("AKIA", "secret")
    #expect(answers.keys == typed && answers.spool == "/srv/scans")
    #expect(answers.token == Secret(text: "token"))
    #expect(person.hidden.map { $0.prefix(6) } == ["Secret", "Token "], "\(person.hidden)")
    #expect(person.asked.allSatisfy { $0.count < 80 })
    let words = ["Storage", "Region", "Bucket", "Id of", "Secret", "Directory", "Backend", "Token"]
    #expect(zip(person.asked, words).allSatisfy { $0.hasPrefix($1) }, "\(person.asked)")
  }

  @Test(arguments: [
    (
      ["/etc/passwd", "/etc/group"], SetupAnswers.Keys.files(access: "/etc/passwd", secret: "/etc/group")
    ),
    (["i"], SetupAnswers.Keys.instance),
  ]) func keysStayWhereTheyAre(_ words: [String], _ keys: SetupAnswers.Keys) async throws {
    let (answers, person) = try await complete(
      ["http://127.0.0.1:9000", "", "documents"] + words + ["", "https://api.example.com", ""])
    #expect(answers.endpoint == "http://127.0.0.1:9000" && answers.region == "us-east-1")
    #expect(answers.keys == keys && answers.spool == SetupAnswers.usualSpool)
    #expect(person.hidden == ["Token of the backend (not shown; empty: none): "])
  }

  /// The region of an option is the usual answer, and stays where the service has one region only.
  @Test(arguments: [("aws", "https://s3.eu-west-3.amazonaws.com"), ("r2", "https://0123abc.r2.cloudflarestorage.com")])
  func optionOfRegionStays(_ name: String, _ endpoint: String) async throws {
    var start = SetupAnswers()
    start.keys = .instance
    (start.region, start.bucket) = ("eu-west-3", "b")
    (start.backend, start.spool) = ("https://api.example.com", "/srv/scans")
    let (answers, _) = try await complete([name, name == "r2" ? "0123abc" : ""], start)
    #expect(answers.endpoint == endpoint && answers.region == "eu-west-3")
  }

  /// A typed address tells the usual region, and the setting of its service.
  @Test func typedAddressTellsRegionAndSetting() async throws {
    let (answers, person) = try await complete(
      ["https://obs.eu-west-101.myhuaweicloud.com", "", "b", "i", "", "https://api.example.com", ""])
    #expect(answers.region == "eu-west-101" && answers.setting == #"addressing = "virtual""#)
    #expect(person.asked[1] == "Region, e.g. eu-central-1 [eu-west-101]: ")
  }

  @Test func answerAfterTrialIsOneOfThree() async throws {
    let person = Person(["x", " G ", ""])
    #expect(try await person.dialog.askAfterTrial() == "g")
    #expect(try await person.dialog.askAfterTrial() == "c")
    #expect(person.state.withLock { $0.said } == ["Type c, g or s."])
  }

  @Test func accountIsPartOfAddress() async throws {
    let (answers, _) = try await complete(["r2", "0123abc", "b", "id", "secret", "", "http://127.0.0.1/", ""])
    #expect(answers.endpoint == "https://0123abc.r2.cloudflarestorage.com")
    #expect(answers.region == "auto" && answers.backend == "http://127.0.0.1/")
  }

  @Test func wrongAnswersAreAskedAgain() async throws {
    let person = Person([
      "nobody", "?", "ftp://x", "http://127.0.0.1:9000", "garage", "", "docs", "", "/nonexistent",
      "/etc/passwd", "secret", "/nonexistent", "/etc/group", "scans", "/srv/../x", "/srv/scans", "api", "?",
      "http://api", "",
    ])
    var answers = SetupAnswers()
    try await person.dialog.complete(&answers)
    #expect(answers.bucket == "docs" && answers.spool == "/srv/scans" && answers.region == "garage")
    let said = person.state.withLock { $0.said }
    let files = SetupAnswers.Keys.files(access: "/etc/passwd", secret: "/etc/group")
    #expect(answers.keys == files)
    #expect(said.count(where: { $0.hasPrefix("/nonexistent cannot be read: ") }) == 2)
    #expect(said.contains { $0.hasPrefix("Your backend: ") } && said.contains { $0.contains("aws, r2, ") })
  }

  @Test func optionsAreNotAskedFor() async throws {
    var start = SetupAnswers()
    start.keys = .instance
    (start.endpoint, start.region) = ("https://s3.eu-central-1.amazonaws.com", "eu-central-1")
    (start.bucket, start.backend, start.spool) = ("b", "https://api.example.com", "/srv/scans")
    start.tokenFile = "/run/token"
    #expect(start.missing.isEmpty)
    let (_, person) = try await complete([], start)
    #expect(person.asked.isEmpty)
  }

  /// After a trial that failed, Enter keeps an answer. A secret is asked for where nothing is shown, also then.
  @Test func secondRoundKeepsAnswers() async throws {
    let (first, _) = try await complete(
      ["http://127.0.0.1:9000", "", "docs", "AKIA", "wrong", "", "https://api", "token"])
    let person = Person(["", "", "", "", "right"])
    var answers = first
    answers.forgetStorage()
    try await person.dialog.complete(&answers, before: first)
    var expected = first
    expected.keys = try keys("AKIA", "right")
    #expect(answers == expected)
    let state = person.state.withLock { $0 }
    #expect(state.answers.isEmpty && state.hidden == ["Secret of the key (not shown; empty: as before): "])
    #expect(state.asked.dropLast().last == "Id of the key, e.g. AKIAIOSFODNN7EXAMPLE [AKIA]: ")
    let enters = Person(["", ""])
    answers.forgetBackend()
    try await enters.dialog.complete(&answers, before: expected)
    #expect(answers == expected)
  }
}
