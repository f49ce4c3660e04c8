import ChildProcesses
import Credentials
import Foundation
import Settings
import Testing

/// What holds where nothing is said: the reader, the shipped file and the manual say the same.
@Suite struct DefaultsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  /// Keys that the shipped file gives an example of, as they have no default or one that depends on others.
  static let examples: Set = [
    "endpoint", "region", "bucket", "access_key", "secret_key", "url", "token", "name", "path", "storage", "backend",
  ]

  /// The values that the shipped file gives in a section, as they are written, and those that it gives as comments: examples, and
  /// defaults of keys that count with others only.
  static func shipped(_ section: String) throws -> (values: [String: String], comments: [String: String]) {
    let lines = Sample.lines(of: section, in: try Sample.shipped("waybill-all"))
    func values(_ mark: String) -> [String: String] {
      let found = lines.filter { $0.hasPrefix(mark) }.compactMap {
        $0.dropFirst(mark.count).wholeMatch(of: #/([a-z_]+) = (.*)/#)?.output
      }
      return Dictionary(uniqueKeysWithValues: found.map { (String($0.1), String($0.2)) })
    }
    return (values(""), values("#"))
  }

  /// The defaults that the manual gives in a section: a text, a number or a word behind "Default", or a text that "the default" follows.
  private static func manual(_ heading: String) throws -> [String: String] {
    var defaults: [String: String] = [:]
    for (key, words) in try Sample.explanations(heading) {
      let forms = [
        #/\nDefault\n\.Li (.*?)(?: [;,.])?\n/#, #/\nDefault ([0-9.]*[0-9]|true|false)(?:[;,.:]|\n)/#,
        #/\n\.Li (\S+)(?: ,)?\n(?:is )?the default/#, #/\nThe default,\n\.Li (\S+) ,\n/#,
      ]
      guard let value = forms.lazy.compactMap({ words.appending("\n").firstMatch(of: $0)?.1 }).first else { continue }
      defaults[key] = String(value).replacing(#"\(dq"#, with: "\"")
    }
    return defaults
  }

  @Test(arguments: Sample.sections) func manualMatchesShippedDefaults(
    section: String, heading: String
  ) throws {
    let (values, comments) = try Self.shipped(section)
    let shown = values.filter { !Self.examples.contains($0.key) }
    var told = try Self.manual(heading)
    // Of these the manual says that they are as a storage's.
    if heading == "BACKEND" { told.merge(try Self.manual("STORAGE").filter { shown[$0.key] != nil }) { own, _ in own } }
    #expect(told.count > 0 || heading == "WEBHOOK")
    for (key, value) in shown { #expect(told[key] == value, "\(section) \(key)") }
    for (key, value) in told { #expect((shown[key] ?? comments[key]) == value, "\(section) \(key)") }
  }

  @Test(arguments: ["waybill", "waybill-all"]) func shippedFileLoadsAndMatchesDefaults(name: String) throws {
    let text = try Sample.shipped(name)
      .replacing("/etc/waybill/keys/s3-access-key", with: "KEYS/access")
      .replacing("/etc/waybill/keys/s3-secret-key", with: "KEYS/secret")
      .replacing("/etc/waybill/keys/backend-token", with: "KEYS/token")
    try directory.write("token", "t0ken\n")
    var loaded = try Sample.load(text, in: directory)
    #expect(loaded.backends["main"]?.token == .file("\(directory.path)/token"))
    loaded.backends["main"]?.token = nil
    #expect(loaded == (try Sample.load(Sample.smallest, in: directory)))
    #expect(loaded.summary == "1 storage, 1 backend, 1 spool")
  }

  @Test func systemdDirectoriesBecomeDefaults() throws {
    let page = try String(contentsOfFile: Products.source("man/waybill.toml.5"), encoding: .utf8)
    let alone = try Sample.load(Sample.smallest, in: directory).daemon
    #expect(alone.state == "/var/lib/waybill" && page.contains("else\n.Pa /var/lib/waybill .\n"))
    #expect(
      alone.defaultControl == "/run/waybill/control.sock" && page.contains("else\n.Pa /run/waybill/control.sock .\n"))
    let environment = ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "RUNTIME_DIRECTORY": "/run/waybill-b"]
    let daemon = try Sample.load(Sample.smallest, in: directory, environment: environment).daemon
    #expect(daemon.state == "/var/lib/a")
    #expect(daemon.defaultControl == "/run/waybill-b/control.sock")
    let given = try Sample.load(
      "[daemon]\nstate = \"/srv/state/\"\ncontrol = \"/srv/c.sock\"\n" + Sample.smallest, in: directory,
      environment: environment
    ).daemon
    #expect(given.state == "/srv/state")
    #expect(given.control == "/srv/c.sock")
  }

  /// The hosts of AWS are in AWSPartitionTests.
  @Test(arguments: [
    ("https://s3.eu-west-1.amazonaws.com", "eu-west-1"), ("http://127.0.0.1:9000", "us-east-1"),
    ("https://store.example.com/", "us-east-1"),
  ])
  func endpointGivesDefaultRegion(endpoint: String, region: String) throws {
    let text = Sample.smallest.replacing("https://s3.eu-central-1.amazonaws.com", with: endpoint)
    #expect(try Sample.load(text, in: directory).storages["main"]?.region == region)
  }

  @Test func sovereignCloudNeedsNoNamedKeys() throws {
    let text = Sample.smallest.replacing("s3.eu-central-1.amazonaws.com", with: "s3.eusc-de-east-1.amazonaws.eu")
      .split(separator: "\n").filter { !$0.contains("_key") }.joined(separator: "\n")
    let environment = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"]
    #expect(
      try Sample.load(text, in: directory, environment: environment).storages["main"]?.accessKey == .aws("default"))
  }
}
