import ChildProcesses
import Settings
import Testing

@Suite struct WebhookSettingsTests {
  private func load(_ text: String) throws -> Configuration {
    let directory = try TemporaryFolder()
    return try Sample.load(Sample.smallest + "\n" + text, in: directory)
  }

  @Test func readsEachKey() throws {
    // The sample's files of keys are in KEYS.
    let configuration = try load(
      """
      [webhook.ops]
      url = "http://127.0.0.1:1/hook"
      ca_file = "KEYS/access"
      events = ["question", "gate"]
      signing_secret = { file = "KEYS/access" }
      [webhook.all]
      url = "http://127.0.0.1:1/all"
      """)
    #expect(configuration.webhooks["ops"]?.topics == [.question, .gate])
    #expect(configuration.webhooks["ops"]?.secrets.map { "\($0)".hasSuffix("/access") } == [true])
    #expect(configuration.webhooks["all"]?.secrets.isEmpty == true)
    #expect(configuration.webhooks["ops"]?.caFile?.hasSuffix("/access") == true)
    #expect(configuration.webhooks["all"]?.topics == [.question, .aborted, .gate, .problem])
  }

  @Test(arguments: [
    ("[webhook.a]\nurl = \"example.com\"", "webhook.a.url"), ("[webhook.a]", "webhook.a.url"),
    ("[webhook.a]\nurl = \"http://h/\"\nevents = []", "webhook.a.events"),
    (
      "[webhook.a]\nurl = \"http://h/\"\nevents = [\"registered\"]",
      #""registered" is not known; it may have "question", "aborted", "gate", "problem""#
    ),
    ("[webhook.a]\nurl = \"http://h/\"\ntoken = \"secret\"", "must not be in the configuration"),
    ("[webhook]\nurl = \"http://h/\"", "outside of a named webhook"),
  ])
  func reportsMistakes(text: String, words: String) throws {
    let directory = try TemporaryFolder()
    let problems = try Sample.problems(Sample.smallest + "\n" + text, in: directory)
    #expect(problems.contains { $0.contains(words) }, "\(problems)")
    #expect(!problems.contains { $0.contains("secret\"") })
  }
}
