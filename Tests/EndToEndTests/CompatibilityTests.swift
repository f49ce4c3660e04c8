import ChildProcesses
import ControlAPI
import Foundation
import Testing

/// What programs rely on from 1.0 on (`docs/compatibility.md`), against the lists of `Tests/Compatibility/1.txt`. Other tests hold the
/// schemas to the code; MetricsTests and JournalFieldTests have the metrics and the journal.
@Suite struct CompatibilityTests {
  private typealias Part = [String: Any]

  private static func schema(_ name: String) throws -> [String] {
    let root = try SchemaFile(name).root
    var lines = SchemaLines()
    lines.add(membersOf: root, name)
    for (definition, part) in root["$defs"] as? [String: Part] ?? [:] { lines.add(membersOf: part, definition) }
    return lines.lines
  }

  @Test(arguments: [
    ("settings", "waybill.toml"), ("settings of the fleet", "fleet.toml"), ("registration", "registration"),
    ("registration as CloudEvent", "cloudevent"), ("webhook", "webhook"),
  ])
  func schemaKeepsMembers(section: String, name: String) throws {
    try Promised.expect(section, is: try Self.schema(name))
  }

  @Test func apiKeepsCallsAndMembers() throws {
    let document = try #require(try JSONSerialization.jsonObject(with: Data(APIDescription.document)) as? Part)
    let components = try #require(document["components"] as? [String: [String: Part]])
    var lines = SchemaLines()
    for (name, part) in components["schemas"] ?? [:] { lines.add(membersOf: part, name) }
    for (path, calls) in try #require(document["paths"] as? [String: [String: Part]]) {
      for (method, call) in calls {
        let name = "\(method.uppercased()) \(path)"
        for parameter in call["parameters"] as? [Part] ?? [] {
          let part = SchemaLines.reference(parameter).flatMap { components["parameters"]?[$0] } ?? parameter
          let place = part["in"] as? String == "query" ? "?" : ""
          lines.add(
            part["schema"] as? Part ?? [:], "\(name) \(place)\(part["name"] ?? "")",
            isRequired: part["required"] as? Bool == true)
        }
        lines.add(content: call["requestBody"], "\(name) body")
        for (status, answer) in call["responses"] as? Part ?? [:] { lines.add(content: answer, "\(name) \(status)") }
      }
    }
    try Promised.expect("api", is: lines.lines)
  }

  @Test(.slot, arguments: ["waybill", "waybilld", "waybill-fleet"])
  func commandsKeepOptions(program: String) async throws {
    let path = Products.folder.appending(path: program).path
    let told = try await Command.require([path, "--experimental-dump-help"])
    let root = try #require(try JSONSerialization.jsonObject(with: Data(told.utf8)) as? Part)["command"] as? Part
    try Promised.expect("options of \(program)", is: Self.options(of: try #require(root), ""))
  }

  private static func options(of command: Part, _ before: String) -> [String] {
    let name = before + (command["commandName"] as? String ?? "")
    let arguments = (command["arguments"] as? [Part] ?? []).filter { $0["shouldDisplay"] as? Bool != false }
    let own = arguments.flatMap { argument in
      let names = (argument["names"] as? [Part] ?? []).map {
        ($0["kind"] as? String == "short" ? "-" : "--") + ($0["name"] as? String ?? "")
      }
      let kind = argument["kind"] as? String ?? ""
      let more =
        (argument["isRepeating"] as? Bool == true ? " ..." : "")
        + (argument["isOptional"] as? Bool == true ? "" : " required")
      let preset = kind == "option" ? (argument["defaultValue"] as? String).map { " default \($0)" } ?? "" : ""
      let shown = names.isEmpty ? (argument["valueName"] as? String ?? "").uppercased() : names.joined(separator: ",")
      let words = (argument["allValues"] as? [String] ?? []).map { "\(name) \(shown) = \($0)" }
      // Each command has those of the program.
      return names.contains("--help") || names.contains("--version")
        ? [] : ["\(name) \(shown) \(kind)\(more)\(preset)"] + words
    }
    let commands = (command["subcommands"] as? [Part] ?? []).filter { $0["commandName"] as? String != "help" }
    return [name] + own + commands.flatMap { options(of: $0, name + " ") }
  }

  @Test(arguments: ["waybill.1", "waybilld.8", "waybill-fleet.8"])
  func exitStatusesStay(page: String) throws {
    let text = try String(contentsOfFile: Products.source("man/\(page)"), encoding: .utf8)
    let part = text.components(separatedBy: ".Sh EXIT STATUS\n").last?.components(separatedBy: "\n.Sh ").first ?? ""
    let statuses = part.matches(of: /(?:^|\n\.It |; )([0-9]+)/).map { "\(page.dropLast(2)) \($0.1)" }
    #expect(statuses.count >= 5)
    try Promised.expect("exit statuses of \(page.dropLast(2))", is: statuses)
  }
}

/// The members, types, defaults and words of JSON Schemas, a line each.
private struct SchemaLines {
  typealias Part = [String: Any]
  private(set) var lines: [String] = []

  static func reference(_ part: Part) -> String? {
    (part["$ref"] as? String)?.split(separator: "/").last.map(String.init)
  }

  mutating func add(_ part: Part, _ name: String, isRequired: Bool = false) {
    let preset = part["default"].map { " default \(SchemaLines.text($0))" } ?? ""
    lines.append("\(name) \(Self.type(part))\(isRequired ? " required" : "")\(preset)")
    add(membersOf: part, name)
  }

  mutating func add(membersOf part: Part, _ name: String) {
    let words = (part["enum"] as? [Any] ?? []) + [part["const"]].compactMap(\.self)
    lines += words.map { "\(name) = \(Self.text($0))" }
    let required = part["required"] as? [String] ?? []
    for (key, member) in part["properties"] as? [String: Part] ?? [:] {
      add(member, "\(name).\(key)", isRequired: required.contains(key))
    }
    for inner in Self.forms(part) + Self.elements(part) { add(membersOf: inner, name) }
  }

  mutating func add(content value: Any?, _ name: String) {
    guard let part = value as? Part else { return }
    if let reference = Self.reference(part) { lines.append("\(name) \(reference)") }
    for (type, content) in part["content"] as? [String: Part] ?? [:] {
      add(content["schema"] as? Part ?? [:], "\(name) \(type)")
    }
  }

  private static func forms(_ part: Part) -> [Part] {
    ["anyOf", "oneOf", "allOf"].flatMap { part[$0] as? [Part] ?? [] }
  }

  private static func elements(_ part: Part) -> [Part] {
    ["items", "additionalProperties", "patternProperties"].compactMap { part[$0] as? Part }
  }

  private static func type(_ part: Part) -> String {
    if let name = reference(part) { return name }
    let forms = Set(forms(part).map(type)).subtracting(["any"])
    if !forms.isEmpty { return forms.sorted().joined(separator: "|") }
    let own = part["type"] as? String ?? (part["type"] as? [String])?.joined(separator: "|")
    let inner = (part["items"] ?? part["additionalProperties"]) as? Part
    let isWord = part["enum"] != nil || part["const"] != nil
    return (own ?? (isWord ? "word" : "any")) + (inner.map { " of \(type($0))" } ?? "")
  }

  private static func text(_ value: Any) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
  }
}
