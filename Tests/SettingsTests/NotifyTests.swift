import ChildProcesses
import Settings
import Testing

/// `[notify]` and `[webhook.NAME]`.
@Suite struct NotifySettingsTests {
  private func load(_ text: String) throws -> Configuration {
    let directory = try TemporaryFolder()
    return try Sample.load(Sample.smallest + "\n" + text, in: directory)
  }

  @Test func defaultsNotifyNobody() throws {
    let configuration = try load("")
    #expect(configuration.notify.ping == nil && configuration.notify.pingEvery == .seconds(60))
    #expect(configuration.webhooks.isEmpty)
  }

  @Test func readsEachKey() throws {
    // The sample's files of keys are in KEYS.
    let configuration = try load(
      """
      [notify]
      ping = "https://hc-ping.com/u?x=1"
      ca_file = "KEYS/access"
      [webhook.ops]
      url = "http://127.0.0.1:1/hook"
      events = ["question", "gate"]
      signing_secret = { file = "KEYS/access" }
      [webhook.all]
      url = "http://127.0.0.1:1/all"
      """)
    #expect(configuration.notify.ping == "https://hc-ping.com/u?x=1")
    #expect(configuration.webhooks["ops"]?.topics == [.question, .gate])
    #expect(configuration.webhooks["ops"]?.secrets.map { "\($0)".hasSuffix("/access") } == [true])
    #expect(configuration.webhooks["all"]?.secrets.isEmpty == true)
    #expect(configuration.notify.caFile?.hasSuffix("/access") == true)
    #expect(configuration.webhooks["all"]?.topics == [.question, .aborted, .gate, .problem])
  }

  @Test(arguments: [
    ("[notify]\nping = \"hc-ping.com\"", "notify.ping"), ("[notify]\npush = 1", "notify.push"),
    ("[notify]\npong = 1", "notify.pong"), ("[webhook.a]", "webhook.a.url"),
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
