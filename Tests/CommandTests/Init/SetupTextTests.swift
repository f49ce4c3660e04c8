import CommandParts
import Jobs
import ChildProcesses
import Credentials
import Settings
import Testing

@testable import waybill

/// The files that a setup writes.
@Suite struct SetupTextTests {
  private let place = SetupPlace(configuration: SetupPlace.usual, instance: nil)

  private func secret(_ text: String) throws -> Secret { try #require(Secret(text: text)) }

  @Test func instanceHasItsOwnKeys() throws {
    var answers = SetupAnswers()
    answers.keys = .typed(access: try secret("a"), secret: try secret("b"))
    answers.token = try secret("c")
    let place = SetupPlace(configuration: SetupPlace.usual, instance: "second")
    #expect(
      SetupText.keyFiles(answers).map { place.keys + $0.name } == [
        "/etc/waybill/keys/second-s3-access-key", "/etc/waybill/keys/second-s3-secret-key",
        "/etc/waybill/keys/second-backend-token",
      ])
    #expect(place.configuration == "/etc/waybill/second.toml" && place.unit == "waybill@second.service")
  }

  @Test func keyWithOtherBytesStays() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("key", Array("one\n".utf8))
    let (one, two) = (try secret("one"), try secret("two"))
    #expect(try place.has(one, in: file))
    #expect(try !place.has(one, in: folder.file("none")))
    let failure = #expect(throws: CommandFailure.self) { try place.has(two, in: file) }
    #expect(failure?.words?.contains("is there with other bytes, and stays") == true)
  }

  @Test func tomlIsReadAndFits() throws {
    for provider in Provider.all {
      var answers = SetupAnswers()
      answers.keys = .typed(access: try secret("AKIA"), secret: try secret("hidden-secret"))
      (answers.bucket, answers.backend) = ("documents", "https://api.example.com/documents")
      // As with options: the address alone tells the region and the setting.
      answers.endpoint = provider.address("here")
      answers.spool = #"/srv/"a\b #"#
      #expect(answers.missing.isEmpty, "\(provider.name): \(answers.missing)")
      let text = SetupText.configuration(answers, keys: place.keys)
      #expect(!text.contains("hidden") && answers.setting == provider.setting)
      #expect(text.contains("\nregion     = \"\(provider.region ?? "here")\"\n"), "\(text)")
      let read = try Configuration.load(
        path: place.configuration, environment: [:], readingCredentials: false,
        replacing: [place.configuration: Array(text.utf8)])
      let storage = try #require(read.storages["main"])
      #expect(storage.endpoint == answers.endpoint && storage.bucket == "documents", "\(provider.name)")
      #expect(read.spools.map(\.name) == ["-a-b--"])
      #expect(read.spools.map(\.path) == [#"/srv/"a\b #"#])
    }
  }

  @Test(arguments: [
    ("https://s3.dualstack.eu-west-1.amazonaws.com", "eu-west-1"), ("https://fsn1.your-objectstorage.com/", "fsn1"),
    ("https://x.fsn1.your-objectstorage.com", "us-east-1"), ("https://s3.example.com", "us-east-1"),
  ]) func regionFollowsFromAddress(_ endpoint: String, _ region: String) {
    var answers = SetupAnswers()
    answers.endpoint = endpoint
    #expect(answers.likelyRegion == region)
  }

  @Test(arguments: ["instance", "files"]) func otherKeysAreRead(_ keys: String) throws {
    let folder = try TemporaryFolder()
    var answers = SetupAnswers()
    (answers.endpoint, answers.region, answers.bucket) = ("https://s3.example.com", "us-east-1", "documents")
    answers.keys = keys == "instance" ? .instance : .files(access: "/a", secret: "/b")
    (answers.backend, answers.tokenFile) = ("https://api.example.com/documents", "/c")
    #expect(SetupText.keyFiles(answers).isEmpty)
    let text = SetupText.configuration(answers, keys: place.keys)
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
