import Yams

/// The reason why the description of the API cannot become Swift.
struct DeclarationFault: Error, CustomStringConvertible {
  let description: String

  init(_ place: String, _ words: String) { description = "\(place): \(words)" }
}

struct Schema {
  /// The name or the path of the schema, for faults.
  let place: String
  let node: Node

  func text(_ key: String) -> String? { node[key]?.string }

  /// The name in `#/components/schemas/NAME`, if the schema is a reference.
  var reference: String? {
    text("$ref").map { $0.split(separator: "/").last.map(String.init) ?? $0 }
  }

  /// The name of the Swift type that is made from the schema.
  var swift: String? { text("x-swift") }

  /// Its types, without null.
  var types: [String] {
    guard let type = node["type"] else { return [] }
    return (type.sequence.map { $0.compactMap(\.string) } ?? [type.string ?? ""]).filter { $0 != "null" }
  }

  /// The schema inside `oneOf` with null, else nil.
  var other: Schema? {
    guard let both = node["oneOf"]?.sequence, both.count == 2, both.contains(where: { $0["type"]?.string == "null" })
    else {
      return nil
    }
    return both.first { $0["type"]?.string != "null" }.map { Schema(place: place, node: $0) }
  }

  /// True if null is allowed here, apart from what a reference leads to.
  var allowsNull: Bool {
    node["type"]?.sequence?.contains { $0.string == "null" } == true || other != nil
      || node["enum"]?.sequence?.contains { $0.isNull } == true
  }

  var members: [(name: String, schema: Schema)] {
    (node["properties"]?.mapping).map { members in
      members.map { ($0.key.string ?? "", Schema(place: "\(place).\($0.key.string ?? "")", node: $0.value)) }
    } ?? []
  }

  var required: Set<String> { Set(node["required"]?.sequence?.compactMap(\.string) ?? []) }
}

extension Node {
  /// True for a null, which is not a text in quotes.
  var isNull: Bool { scalar.map { $0.style == .plain && ["null", "~", ""].contains($0.string) } ?? false }

  /// The node as JSON, without the extensions for Swift.
  var json: String {
    switch self {
    case .mapping(let members):
      let shown = members.filter { !($0.key.string ?? "").hasPrefix("x-swift") }
      return "{" + shown.map { "\(Self.quoted($0.key.string ?? "")):\($0.value.json)" }.joined(separator: ",") + "}"
    case .sequence(let elements): return "[" + elements.map(\.json).joined(separator: ",") + "]"
    case .scalar(let scalar):
      if isNull { return "null" }
      let isBare = scalar.style == .plain && (["true", "false"].contains(scalar.string) || Int(scalar.string) != nil)
      return isBare ? scalar.string : Self.quoted(scalar.string)
    case .alias: return "null"
    }
  }

  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { json, scalar in
      switch scalar {
      case "\"", "\\": json += "\\\(scalar)"
      case "\n": json += "\\n"
      case "\t": json += "\\t"
      default: json.unicodeScalars.append(scalar)
      }
    } + "\""
  }
}
