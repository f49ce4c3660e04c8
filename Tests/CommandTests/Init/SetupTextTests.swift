import ChildProcesses
import Credentials
import Jobs
import Settings
import Testing

@testable import waybill

/// The files that a setup writes.
@Suite struct SetupTextTests {
  private let place = SetupPlace(configuration: SetupPlace.usual, instance: nil)

  private func secret(_ text: String) throws -> Secret { try #require(Secret(text: text)) }

  @Test func instanceHasItsOwnKeys() throws {
    var answers = SetupAnswers()
    answers.keys = .written(access: try secret("a"), secret: try secret("b"), token: nil)
    answers.token = try secret("c")
    let place = SetupPlace(configuration: SetupPlace.usual, instance: "second")
    #expect(
      SetupText.keyFiles(answers, at: place).map(\.path) == [
        "/etc/waybill/keys/second-s3-access-key", "/etc/waybill/keys/second-s3-secret-key",
        "/etc/waybill/keys/second-backend-token",
      ])
    #expect(place.configuration == "/etc/waybill/second.toml" && place.unit == "waybill@second.service")
  }

  /// The next run takes over what a run was told that was cut.
  @Test func cutRunIsKnown() throws {
    let folder = try TemporaryFolder()
    let place = SetupPlace(configuration: folder.file("waybill.toml"), instance: nil)
    var answers = SetupAnswers()
    (answers.provider, answers.region, answers.bucket) = (Provider.named("aws"), "eu-west-1", "documents")
    let (access, key) = (try folder.write("access", Array("a".utf8)), try folder.write("secret", Array("b".utf8)))
    answers.keys = .files(access: access, secret: key)
    (answers.backend, answers.spool) = ("https://api.example.com/documents", "/srv/scans")
    answers.conclude()
    let text = SetupText.configuration(answers, at: place)
    _ = try folder.write(".unfinished-waybill.toml", Array(text.utf8))
    #expect(place.unfinished == folder.file(".unfinished-waybill.toml"))
    let found = try Configuration.load(path: place.unfinished, environment: [:], readingCredentials: false)
    #expect(SetupAnswers(unfinished: found) == answers)
    #expect(text.contains(SetupText.mark))
  }

  @Test func tomlIsReadAndFits() throws {
    for provider in Provider.all + [.other] {
      var answers = SetupAnswers()
      answers.provider = provider
      answers.keys = .written(
        access: try secret("AKIA"), secret: try secret("hidden-secret"), token: try secret("hidden"))
      (answers.bucket, answers.backend) = ("documents", "https://api.example.com/documents")
      answers.region = provider.region.usual ?? "here"
      if case .own = provider.endpoint { answers.endpoint = "http://127.0.0.1:9000" }
      if case .pattern(_, let word) = provider.endpoint, word == "ACCOUNT" {
        answers.endpoint = provider.address("abc")
      }
      answers.spool = #"/srv/"a\b #"#
      answers.conclude()
      #expect(answers.missing.isEmpty, "\(provider.name): \(answers.missing)")
      let text = SetupText.configuration(answers, at: place)
      #expect(!text.contains("hidden"))
      let read = try Configuration.load(
        path: place.configuration, environment: [:], readingCredentials: false,
        replacing: [place.configuration: Array(text.utf8)])
      let storage = try #require(read.storages["main"])
      #expect(storage.endpoint == answers.endpoint && storage.bucket == "documents", "\(provider.name)")
      #expect(read.spools.map(\.name) == ["-a-b--"])
      #expect(read.spools.map(\.path) == [#"/srv/"a\b #"#])
    }
  }

  @Test(arguments: ["instance", "files"]) func otherKeysAreRead(_ keys: String) throws {
    let folder = try TemporaryFolder()
    var answers = SetupAnswers()
    (answers.endpoint, answers.region, answers.bucket) = ("https://s3.example.com", "us-east-1", "documents")
    answers.keys = keys == "instance" ? .instance : .files(access: "/a", secret: "/b")
    (answers.backend, answers.tokenFile) = ("https://api.example.com/documents", "/c")
    #expect(SetupText.keyFiles(answers, at: place).isEmpty)
    let text = SetupText.configuration(answers, at: place)
    #expect(text.contains(keys == "instance" ? #"access_key = { aws = "default" }"# : #"secret_key = { file = "/b" }"#))
    #expect(text.contains(#"token = { file = "/c" }"#))
    #expect(
      throws: Never.self,
      performing: {
        try Configuration.load(
          path: folder.file("w.toml"), environment: [:], readingCredentials: false,
          replacing: [folder.file("w.toml"): Array(text.utf8)])
      })
  }
}
