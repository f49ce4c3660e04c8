import ChildProcesses
import Foundation
import Testing

@testable import Settings

struct FleetSettingsTests {
  private static func load(_ text: String) throws -> FleetSettings {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "fleet.toml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try FleetSettings.load(path: file.path)
  }

  @Test func shippedFileHasDefaults() throws {
    let shipped = try FleetSettings.load(path: Products.source("etc/fleet.toml"))
    #expect(shipped == FleetSettings(database: shipped.database))
  }

  @Test func readsAllKeys() throws {
    let settings = try Self.load(
      """
      database = "dbname=x"
      name = "scanner-3"
      socket = "/run/w.sock"
      allow = ["discard", "remove"]
      names = false
      heartbeat = "30s"
      """)
    var wanted = FleetSettings(database: "dbname=x")
    (wanted.name, wanted.socket, wanted.allow, wanted.names, wanted.heartbeat) =
      ("scanner-3", "/run/w.sock", [.discard, .remove], false, .seconds(30))
    #expect(settings == wanted)
  }

  /// Who answers is said once. The kernel names nobody over TCP.
  @Test func userSourcesAreMutuallyExclusive() throws {
    func web(_ lines: String) throws -> FleetWebSettings { try Self.load("database = \"x\"\n[web]\n" + lines).web }
    let socket = "listen = \"/run/x/web.sock\"\n"
    #expect(try web(socket).peer == false)
    #expect(try web(socket + "peer = true").peer)
    #expect(try web(socket + "peer = false\nuser = \"ops\"").user == "ops")
    for (lines, words) in [
      (socket + "peer = true\nuser = \"ops\"", "peer: cannot be set beside user"),
      (socket + "peer = true\nuser_header = \"X\"", "peer: cannot be set beside user_header"),
      (socket + "user = \"ops\"\nuser_header = \"X\"", "user_header: cannot be set beside user"),
      (socket + "peer = true\nuser = \"ops\"\nuser_header = \"X\"", "leave all but one of them out"),
      ("peer = true", "peer: needs a Unix socket"), (socket + "peer = \"yes\"", "peer"),
      (socket + "user = \"ops (fleet)\"", "is not the name of a person"),
    ] {
      let error = #expect(throws: ConfigurationError.self, "\(lines)") { try web(lines) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
  }

  @Test(arguments: [
    ("", "database: missing"), ("database = \"\"", "database: is empty"),
    ("database = \"x\"\nallow = [\"drop\"]", "\"drop\" is not known"),
    ("database = \"x\"\nheartbeat = \"1ms\"", "out of range"),
    ("database = \"x\"\nhartbeat = \"1s\"", "did you mean \"heartbeat\"?"),
    ("database = \"x\"\nsocket = \"x\"", "socket"), ("database =", "TOML"),
  ]) func reportsMistakesWithPlace(text: String, words: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try Self.load(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  private func known(_ before: String) throws -> [String] {
    let error = #expect(throws: ConfigurationError.self) {
      try Self.load(before + "unheard-of-and-like-no-other = 1\n")
    }
    let told = error?.description ?? ""
    let keys = try #require(told.firstMatch(of: /the keys here are (.*)/)?.1, "\(told)")
    return keys.split(separator: ", ").map(String.init).sorted()
  }

  @Test func schemaMatchesFleetKeys() throws {
    let schema = try SchemaFile("fleet.toml")
    #expect(try schema.members(schema.root).keys.sorted() == (try known("database = \"x\"\n")))
    let web = try #require(try schema.members(schema.root)["web"])
    #expect(try schema.members(web).keys.sorted() == (try known("database = \"x\"\n[web]\n")))
    #expect(schema.root["additionalProperties"] as? Bool == false && web["additionalProperties"] as? Bool == false)
    #expect(try schema.required(schema.root) == ["database"])
  }

  @Test func schemaMatchesFleetWordsAndDefaults() throws {
    let schema = try SchemaFile("fleet.toml")
    let members = try schema.members(schema.root)
    let words = try schema.words(members["allow"]?["items"] as? SchemaFile.Part ?? [:])
    #expect(words == FleetSettings.Action.allCases.map(\.rawValue))
    #expect(Set(members["allow"]?["default"] as? [String] ?? []) == Set(FleetSettings.usual.map(\.rawValue)))
    let text = try String(contentsOfFile: Products.source("etc/fleet.toml"), encoding: .utf8)
    let web = try schema.members(try #require(members["web"]))
    let manual = try Sample.explanations("KEYS", of: "fleet.toml")
    for (key, part) in members.merging(web, uniquingKeysWith: { one, _ in one }) {
      #expect(key == "web" || Sample.letters(part["description"] as? String ?? "") == manual[key].map(Sample.letters))
      guard let preset = part["default"] else { continue }
      #expect(text.contains("\n\(key) = \(SchemaTests.toml(preset))\n"), "\(key)")
    }
  }
}
