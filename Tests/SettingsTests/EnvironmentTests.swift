import ChildProcesses
import Credentials
import Foundation
import Jobs
import Settings
import Testing

@Suite struct EnvironmentTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private static let whole = [
    "WAYBILL_STORAGE_MAIN_ENDPOINT": "http://127.0.0.1:9000", "WAYBILL_STORAGE_MAIN_BUCKET": "documents",
    "WAYBILL_STORAGE_MAIN_ACCESS_KEY": "AKIDEXAMPLE", "WAYBILL_STORAGE_MAIN_SECRET_KEY": "{wJalr \"XUtnFEMI",
    "WAYBILL_BACKEND_MAIN_URL": "http://127.0.0.1:9001/register", "WAYBILL_SPOOL_SCANS_PATH": "/spool/in",
  ]

  private func load(_ more: [String: String] = [:], without name: String? = nil) throws -> Configuration {
    var environment = Self.whole.merging(more) { $1 }
    if let name { environment[name] = nil }
    return try Configuration.load(path: directory.path + "/none.toml", environment: environment)
  }

  private func problems(_ more: [String: String], without name: String? = nil) throws -> [String] {
    do {
      _ = try load(more, without: name)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map(\.description)
    }
  }

  @Test func noFileIsNeeded() throws {
    let configuration = try load()
    let storage = try #require(configuration.storages["main"])
    #expect(storage.endpoint == "http://127.0.0.1:9000" && storage.bucket == "documents")
    #expect(storage.accessKey == .environment("WAYBILL_STORAGE_MAIN_ACCESS_KEY"))
    #expect(storage.secretKey == .environment("WAYBILL_STORAGE_MAIN_SECRET_KEY"))
    #expect(configuration.spools.map(\.name) == ["scans"] && configuration.spools.map(\.path) == ["/spool/in"])
    #expect(configuration.variables["WAYBILL_STORAGE_MAIN_BUCKET"] == "storage.main.bucket")
    #expect(Set(configuration.variables.keys) == Set(Self.whole.keys))
    #expect(throws: ConfigurationError.self) {
      try Configuration.load(path: directory.path + "/none.toml", environment: ["WAYBILL_DAEMON_HISTORY": "1s"])
    }
  }

  @Test func variablesOverrideFile() throws {
    let text = Sample.smallest + "priority = 1\n[daemon]\nconcurrency = 3\nhistory = \"1s\"\n"
    let configuration = try Sample.load(
      text, in: directory,
      environment: [
        "WAYBILL_DAEMON_CONCURRENCY": "7", "WAYBILL_SPOOL_DOCUMENTS_PRIORITY": "-5",
        "WAYBILL_SPOOL_1_RECURSIVE": "true",
        "WAYBILL_STORAGE_MAIN_BUCKET": "other", "WAYBILL_STORAGE_MAIN_REGION": "", "HOME": "/root",
      ])
    #expect(configuration.daemon.concurrency == .fixed(7) && configuration.daemon.history == .seconds(1))
    #expect(
      configuration.storages["main"]?.bucket == "other" && configuration.storages["main"]?.region == "eu-central-1")
    #expect(configuration.spools.map(\.priority) == [-5] && configuration.spools.map(\.recursive) == [true])
  }

  @Test func takesTextVerbatim() throws {
    for (text, bucket) in [("2026", "2026"), ("true", "true"), ("2026-01-01", "2026-01-01"), ("\"a-b\"", "a-b")] {
      #expect(try load(["WAYBILL_STORAGE_MAIN_BUCKET": text]).storages["main"]?.bucket == bucket)
    }
    #expect(try load(["WAYBILL_DAEMON_BANDWIDTH": "0"]).daemon.bandwidth == nil)
    #expect(try load(["WAYBILL_DAEMON_BANDWIDTH": "2MiB"]).daemon.bandwidth == 2 << 20)
  }

  @Test func listsAndTablesUseTOML() throws {
    let configuration = try load([
      "WAYBILL_RETRY_DELAYS": #"["1s", "2s"]"#, "WAYBILL_BACKEND_MAIN_RETRY_DELAYS": "[]",
      "WAYBILL_BACKEND_MAIN_HEADERS": #"{ "X-A" = "b" }"#, "WAYBILL_SPOOL_SCANS_IGNORE": #"["*.x"]"#,
    ])
    #expect(configuration.retry.delays == [.seconds(1), .seconds(2)])
    #expect(configuration.storages["main"]?.retry.delays == [.seconds(1), .seconds(2)])
    #expect(configuration.backends["main"]?.retry.delays == [])
    #expect(configuration.backends["main"]?.headers["X-A"] == .text("b"))
    #expect(configuration.spools.first?.ignore == ["*.x"])
  }

  @Test func readsSecretFromFile() throws {
    let file = try directory.write("secret", "wJalrXUtnFEMI\n")
    let configuration = try load(
      ["WAYBILL_STORAGE_MAIN_SECRET_KEY_FILE": file, "WAYBILL_BACKEND_MAIN_TOKEN_FILE": file],
      without: "WAYBILL_STORAGE_MAIN_SECRET_KEY")
    #expect(configuration.storages["main"]?.secretKey == .file(file))
    #expect(configuration.backends["main"]?.token == .file(file))
    #expect(configuration.variables["WAYBILL_BACKEND_MAIN_TOKEN_FILE"] == "backend.main.token")
    #expect(
      try problems(["WAYBILL_STORAGE_MAIN_SECRET_KEY_FILE": file]) == [
        "environment: WAYBILL_STORAGE_MAIN_SECRET_KEY_FILE: is set beside WAYBILL_STORAGE_MAIN_SECRET_KEY; "
          + "leave one of them out"
      ])
    #expect(
      try problems(["WAYBILL_DAEMON_HISTORY_FILE": file]) == [
        "environment: WAYBILL_DAEMON_HISTORY_FILE: names a file where a duration in quotes belongs; only keys, tokens and "
          + "secrets can be in a file of their own"
      ])
  }

  @Test(arguments: [
    ("WAYBILL_STORAGE_MAIN_BUKCET", "x", "unknown setting; did you mean WAYBILL_STORAGE_MAIN_BUCKET?"),
    ("WAYBILL_DEAMON_HISTORY", "1s", "unknown setting; did you mean WAYBILL_DAEMON_HISTORY?"),
    (
      "WAYBILL_STORAGE_MAIN_SECERT_KEY_FILE", "/x",
      "unknown setting; did you mean WAYBILL_STORAGE_MAIN_SECRET_KEY_FILE?"
    ),
    ("WAYBILL_SOMETHING_ELSE_ALTOGETHER", "x", "unknown setting; the names are in waybill.toml(5), ENVIRONMENT"),
    ("WAYBILL_DAEMON_CONCURRENCY", "0", "0 is out of range; it may be 1 to 1024"),
    ("WAYBILL_DAEMON_HISTORY", "soon", "\"soon\" is not a duration"),
    ("WAYBILL_SPOOL_SCANS_RECURSIVE", "maybe", "is the string \"maybe\" where true or false belongs"),
    ("WAYBILL_SPOOL_SCANS_PATH", "in", "\"in\" is a relative path"),
    ("WAYBILL_SPOOL_SCANS_STORAGE", "other", "there is no [storage.other]"),
  ]) func problemNamesVariable(_ name: String, _ text: String, _ words: String) throws {
    let problems = try problems([name: text])
    #expect(problems.count == 1 && problems[0].hasPrefix("environment: \(name): \(words)"), "\(problems)")
  }

  @Test func missingSettingNamesVariable() throws {
    #expect(
      try problems([:], without: "WAYBILL_STORAGE_MAIN_BUCKET") == [
        "environment: storage.main.bucket: missing; set WAYBILL_STORAGE_MAIN_BUCKET, e.g. to \"documents\""
      ])
  }

  @Test func spoolsAreNumberedOrNamed() throws {
    let configuration = try load([
      "WAYBILL_SPOOL_2_PATH": "/spool/b", "WAYBILL_SPOOL_2_NAME": "second", "WAYBILL_SPOOL_2_PRIORITY": "2",
      "WAYBILL_SPOOL_10_PATH": "/spool/c",
    ])
    #expect(configuration.spools.map(\.name) == ["second", "c", "scans"])
    #expect(configuration.spools.map(\.priority) == [2, 0, 0])
  }

  @Test func underscoresMatchAnyNameCharacter() throws {
    let text = Sample.smallest.replacing("storage.main", with: "storage.far-away_2")
    let configuration = try Sample.load(
      text, in: directory, environment: ["WAYBILL_STORAGE_FAR_AWAY_2_BUCKET": "other"])
    #expect(configuration.storages["far-away_2"]?.bucket == "other")
  }

  @Test func secretVariableMayHaveAnyName() throws {
    let text = Sample.smallest.replacing(#"{ file = "KEYS/secret" }"#, with: #"{ env = "WAYBILL_SECRET" }"#)
    #expect(throws: Never.self) { try Sample.load(text, in: directory, environment: ["WAYBILL_SECRET": "x"]) }
  }

  /// Each key of each section is known as a variable too, since it is asked for in the same way.
  @Test(arguments: ["STORAGE_MAIN", "BACKEND_MAIN", "SPOOL_SCANS", "DAEMON", "RETRY"])
  func knowsEveryManualKey(_ section: String) throws {
    let part = try Sample.manual(String(section.prefix { $0 != "_" }))
    let keys = part.matches(of: /\n\.It Ic ([a-z_]+)/).map { String($0.1) }
    #expect(keys.count >= 2)
    for key in keys where key != "name" {
      let name = "WAYBILL_\(section)_\(key.uppercased())"
      // A text that is right for no key but those that take any.
      let problems = try problems([name: "\u{1}"])
      #expect(!problems.contains { $0.contains("unknown setting") }, "\(problems)")
    }
  }
}
