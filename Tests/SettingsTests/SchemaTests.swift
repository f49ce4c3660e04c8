import ChildProcesses
import Foundation
import Settings
import Testing

/// The JSON Schema of waybill.toml, against the reader: both know the same keys, types, words, limits and defaults.
@Suite(.aside) struct SchemaTests {
  private static let sections = Sample.sections.map { ($0, $1.lowercased()) }

  private let schema: SchemaFile
  private let directory: TemporaryFolder

  init() throws {
    schema = try SchemaFile("waybill.toml")
    directory = try TemporaryFolder()
  }

  private func problems(_ section: String, _ line: String) throws -> [String] {
    try Sample.problems(section, line, in: directory)
  }

  @Test(arguments: sections) func schemaMatchesSectionKeys(
    section: String, name: String
  ) throws {
    let part = try schema.definition(name)
    #expect(try schema.members(part).keys.sorted() == (try Sample.known(section, in: directory)))
    #expect(part["additionalProperties"] as? Bool == false, "an unknown key is refused")
  }

  @Test func schemaMatchesSections() throws {
    let told = try Sample.problems("unheard-of-and-like-no-other = 1\n" + Sample.smallest, in: directory)
    let known = try #require(told.first?.firstMatch(of: /the keys here are (.*)$/)?.1, "\(told)")
    #expect(try schema.members(schema.root).keys.sorted() == known.split(separator: ", ").map(String.init).sorted())
    for (_, name) in Self.sections {
      let part = try #require(try schema.members(schema.root)[name])
      let inner = part["additionalProperties"] ?? part["items"]
      #expect(SchemaFile.reference(inner as? SchemaFile.Part ?? part) == name)
    }
  }

  /// A table within a section: how it is written around a key, and the way to it in the schema. `refused` are keys that
  /// the reader knows and never takes there.
  struct Inner: CustomTestStringConvertible {
    var section: String
    var before: String
    var after: String
    var path: [String]
    var refused: Set<String> = []
    var testDescription: String { path.joined(separator: ".") }
  }

  private static let inner = [
    Inner(section: "[storage.main]", before: "retry = { ", after: " }", path: ["storage", "retry"]),
    Inner(section: "[storage.main]", before: "access_key = { ", after: " }", path: ["storage", "access_key"]),
    Inner(
      section: "[backend.main]", before: "signing_secret = { ", after: " }", path: ["backend", "signing_secret"],
      refused: ["aws", "aws_profile"]),
    Inner(
      section: "[backend.main]", before: "token = { ", after: " }", path: ["backend", "token"],
      refused: ["aws", "aws_profile"]),
    Inner(
      section: "[backend.main]", before: "token = { oauth = { ", after: " } }", path: ["backend", "token", "oauth"]),
    Inner(section: "[backend.main]", before: "success = { ", after: " }", path: ["backend", "success"]),
    Inner(section: "[storage.main]", before: "encryption = { ", after: " }", path: ["storage", "encryption"]),
    Inner(section: "[storage.main]", before: "object_lock = { ", after: " }", path: ["storage", "object_lock"]),
  ]

  /// The schema of a table that a key may have, be it one of several forms or the element of an array.
  private func table(_ part: SchemaFile.Part) throws -> SchemaFile.Part? {
    let part = try schema.resolved(part)
    if part["properties"] != nil { return part }
    if let items = part["items"] as? SchemaFile.Part { return try table(items) }
    for form in part["anyOf"] as? [SchemaFile.Part] ?? [] {
      if let found = try table(form) { return found }
    }
    return nil
  }

  @Test(arguments: inner) func schemaMatchesInnerTableKeys(inner: Inner) throws {
    var part = try schema.definition(inner.path[0])
    for key in inner.path.dropFirst() {
      let value = try #require(try schema.members(part)[key])
      part = try #require(try table(value))
    }
    let known = try Sample.known(inner.section, { inner.before + $0 + inner.after }, in: directory)
    #expect(try schema.members(part).keys.sorted() == known.filter { !inner.refused.contains($0) })
    #expect(part["additionalProperties"] as? Bool == false)
  }

  private func type(_ part: SchemaFile.Part) throws -> String {
    switch SchemaFile.reference(part) {
    case "duration": return "a duration in quotes"
    case "size": return "a size in quotes"
    default: break
    }
    let whole = try schema.resolved(part)
    let forms = (whole["anyOf"] ?? whole["allOf"]) as? [SchemaFile.Part]
    switch whole["type"] as? String {
    case "boolean": return "true or false"
    case "integer": return "an integer"
    case "number": return "a number"
    case "array": return "an array"
    case "object": return "a table"
    case "string": return "a string"
    default: break
    }
    if whole["const"] != nil || whole["enum"] != nil { return "a string" }
    return try type(try #require(forms?.first, "\(whole)"))
  }

  @Test(arguments: sections) func schemaMatchesKeyTypes(section: String, name: String) throws {
    for (key, part) in try schema.members(try schema.definition(name)) {
      // Without `from` they are refused, whatever they are.
      if ["upload_url", "upload_hosts"].contains(key) { continue }
      let problems = try problems(section, "\(key) = 1979-05-27").filter { $0.contains(".\(key): is ") }
      let type = try type(part)
      if problems.contains(where: { $0.contains("but a secret must not be in the configuration") }) {
        // A PEM file may also be named by its path.
        #expect(type == "a table" || SchemaFile.reference(part) == "pem", "\(section) \(key): \(type)")
        continue
      }
      let told = problems.compactMap { $0.firstMatch(of: /is the date 1979-05-27 where (.*?) belongs/)?.1 }
      let wanted = try #require(told.first, "\(section) \(key): \(problems)")
      // A number or a word.
      if key == "concurrency" { continue }
      #expect(wanted == type || wanted.hasPrefix(type + " of "), "\(section) \(key)")
    }
  }

  @Test(arguments: sections) func schemaMatchesWordsAndLimits(
    section: String, name: String
  ) throws {
    var found = 0
    for (key, part) in try schema.members(try schema.definition(name)) {
      let words = try schema.words(part)
      let isInteger = part["type"] as? String == "integer"
      let line = "\(key) = " + (isInteger ? "100000000" : "\"like-no-other\"")
      let told = try problems(section, line).filter { $0.contains(".\(key): ") }
        .compactMap { $0.firstMatch(of: /it may be (.*)$/)?.1 }
      if let words {
        let listed = try #require(told.first, "\(section) \(key)")
        #expect(Set(listed.matches(of: /"(.*?)"/).map { String($0.1) }) == Set(words), "\(section) \(key)")
      } else if isInteger {
        let limits = "\(part["minimum"] ?? "") to \(part["maximum"] ?? "")"
        #expect(told.first.map(String.init) == limits, "\(section) \(key)")
      } else {
        #expect(told.allSatisfy { !$0.hasPrefix("\"") }, "\(section) \(key) has words that the schema does not list")
        continue
      }
      found += 1
    }
    #expect(found > 0 || name == "webhook")
  }

  @Test func schemaMatchesInnerTableWords() throws {
    for (section, line, part) in [
      ("[storage.main]", "object_lock = { retain = \"1d\", mode = \"?\" }", try lock("mode")),
      ("[backend.main]", "token = { oauth = { auth = \"?\" } }", try oauth("auth")),
    ] {
      let told = try problems(section, line).compactMap { $0.firstMatch(of: /"\?" is not known; it may be (.*)$/)?.1 }
      let listed = try #require(told.first, "\(line)").matches(of: /"(.*?)"/).map { String($0.1) }
      #expect(try schema.words(part) == listed, "\(line)")
    }
    let events = try #require(try schema.members(try schema.definition("webhook"))["events"]?["items"])
    #expect(
      try schema.words(events as? SchemaFile.Part ?? [:]) == WebhookSettings.Topic.allCases.map(\.rawValue))
  }

  private func lock(_ key: String) throws -> SchemaFile.Part {
    let lock = try #require(try schema.members(try schema.definition("storage"))["object_lock"])
    return try #require(try schema.members(lock)[key])
  }

  private func oauth(_ key: String) throws -> SchemaFile.Part {
    try #require(try schema.members(try schema.definition("oauth"))[key])
  }

  /// The defaults are those of the shipped file, which DefaultsTests compares with the reader.
  @Test(arguments: sections) func schemaMatchesShippedDefaults(section: String, name: String) throws {
    let (values, comments) = try DefaultsTests.shipped(section)
    let members = try schema.members(try schema.definition(name))
    for (key, part) in members {
      guard let preset = part["default"] else { continue }
      let text = try #require(values[key] ?? comments[key], "\(section) \(key)")
      #expect(Self.toml(preset) == text, "\(section) \(key)")
    }
    for (key, text) in values where !DefaultsTests.examples.contains(key) {
      #expect(members[key]?["default"].map(Self.toml) == text, "\(section) \(key)")
    }
  }

  /// Editors show what the manual says first of a key.
  @Test func hasWordsOfManual() throws {
    let ofStorage = try Sample.explanations("STORAGE")
    for name in Self.sections.map(\.1) + ["oauth"] {
      let manual =
        name == "oauth" ? try Sample.explanations("BACKEND", macro: "Li ") : try Sample.explanations(name.uppercased())
      for (key, part) in try schema.members(try schema.definition(name)) {
        let words = Sample.letters(try #require(manual[key], "\(name) \(key)"))
        let wanted = words == "Asforastorage" ? Sample.letters(try #require(ofStorage[key])) : words
        #expect(Sample.letters(part["description"] as? String ?? "") == wanted, "\(name) \(key)")
      }
    }
  }

  static func toml(_ value: Any) -> String {
    switch value {
    case let text as String: return "\"\(text)\""
    case let list as [Any]: return "[\(list.map(toml).joined(separator: ", "))]"
    case let table as [String: Any] where table.isEmpty: return "{}"
    case let number as NSNumber:
      // The type of a number is "c" for a truth value alone.
      let isTruth = unsafe number.objCType.pointee == CChar(UInt8(ascii: "c"))
      return isTruth ? "\(number.boolValue)" : "\(number)"
    default: return "?"
    }
  }

  /// Editors find the schema by the first line of the shipped file, where the package puts it.
  @Test(arguments: ["waybill", "waybill-all", "fleet"]) func shippedFileNamesSchema(name: String) throws {
    let text = try String(contentsOfFile: Products.source("etc/\(name).toml"), encoding: .utf8)
    let place = name == "fleet" ? "waybill-fleet/schemas/fleet" : "waybill/schemas/waybill"
    #expect(text.hasPrefix("#:schema file:///usr/share/\(place).toml.json\n"))
  }
}
