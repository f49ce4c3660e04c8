import ChildProcesses
import Foundation
import Settings
import Testing

/// The JSON Schema of fleet.toml, against its reader and the shipped file.
@Suite struct FleetSettingsSchemaTests {
  private let schema: SchemaFile
  private let directory: TemporaryFolder

  init() throws {
    schema = try SchemaFile("fleet.toml")
    directory = try TemporaryFolder()
  }

  private func problems(_ lines: String) throws -> String {
    let file = try directory.write("fleet.toml", lines)
    do {
      _ = try FleetSettings.load(path: file)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private func known(_ before: String) throws -> [String] {
    let told = try problems(before + "unheard-of-and-like-no-other = 1\n")
    let keys = try #require(told.firstMatch(of: /the keys here are (.*)/)?.1, "\(told)")
    return keys.split(separator: ", ").map(String.init).sorted()
  }

  @Test func schemaMatchesFleetKeys() throws {
    #expect(try schema.members(schema.root).keys.sorted() == (try known("database = \"x\"\n")))
    let web = try #require(try schema.members(schema.root)["web"])
    #expect(try schema.members(web).keys.sorted() == (try known("database = \"x\"\n[web]\n")))
    #expect(schema.root["additionalProperties"] as? Bool == false && web["additionalProperties"] as? Bool == false)
    #expect(try schema.required(schema.root) == ["database"])
  }

  @Test func schemaMatchesFleetWordsAndDefaults() throws {
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
