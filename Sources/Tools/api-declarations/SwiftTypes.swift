import Yams

struct SwiftMember {
  let json: String
  /// Its name in Swift, without quotes for a word of the language.
  let name: String
  /// Its type, with the question mark.
  let type: String
  let isOptional: Bool
  /// False for a member that is left out when it has no value.
  let isRequired: Bool
  /// True for a member whose value may be one of a later version.
  let isLenient: Bool
  /// The value that the initializer takes if none is given.
  let preset: String?
  let comment: String

  /// The expression that reads it.
  var reading: String {
    (isLenient ? "members.lenient" : isOptional ? "try members.value" : "try members.required") + "(\"\(json)\")"
  }
}

struct SwiftType {
  /// The name, with the types around it: `StatusMessage.Transfer`.
  let name: String
  /// True for a type of the core, which only learns to be read and written; its initializer has the members in their order.
  let isThere: Bool
  let comment: String
  /// The message whose members are written beside its own, as the member `name`.
  var base: (name: String, type: String)?
  var members: [SwiftMember] = []
  var words: [String] = []
}

/// Finds the Swift types in the schemas of a description.
struct SwiftTypes {
  let schemas: [String: Schema]
  private(set) var types: [SwiftType] = []

  /// Collects the types of all schemas, in the order of their names.
  init(schemas: [String: Schema]) throws {
    self.schemas = schemas
    for name in schemas.keys.sorted() {
      if let schema = schemas[name], schema.swift != nil { _ = try type(of: schema) }
    }
  }

  /// Returns the Swift type of a schema, and collects it if it is to be made.
  private mutating func type(of schema: Schema) throws -> (name: String, isOptional: Bool) {
    let isOptional = schema.allowsNull
    if let reference = schema.reference {
      guard let target = schemas[reference] else {
        throw DeclarationFault(schema.place, "there is no schema \(reference)")
      }
      let nulls = target.allowsNull
      if let name = target.swift { return (name, nulls) }
      return (try type(of: target).name, nulls)
    }
    if let name = schema.text("x-swift-type") { return (name, isOptional) }
    if let name = schema.swift {
      if !types.contains(where: { $0.name == name }) { try collect(schema, name) }
      return (name, isOptional)
    }
    if let other = schema.other { return (try type(of: other).name, true) }
    return (try simple(schema), isOptional)
  }

  private mutating func simple(_ schema: Schema) throws -> String {
    switch schema.types.first ?? (schema.node["enum"] == nil ? "" : "string") {
    case "string": return "String"
    case "boolean": return "Bool"
    case "number": return "Double"
    case "integer":
      return schema.text("format").map { $0.hasPrefix("u") ? "UInt" + $0.dropFirst(4) : "Int" + $0.dropFirst(3) }
        ?? "Int"
    case "array":
      guard let items = schema.node["items"] else { break }
      return "[\(try type(of: Schema(place: schema.place, node: items)).name)]"
    case "object":
      guard let values = schema.node["additionalProperties"] else { break }
      let keys = try schema.node["propertyNames"].map { try type(of: Schema(place: schema.place, node: $0)).name }
      return "[\(keys ?? "String"): \(try type(of: Schema(place: schema.place, node: values)).name)]"
    default: break
    }
    throw DeclarationFault(schema.place, "it needs x-swift, x-swift-type or a type")
  }

  private mutating func collect(_ schema: Schema, _ name: String) throws {
    var made = SwiftType(name: name, isThere: schema.node["x-swift-there"] != nil, comment: try Self.comment(schema))
    let place = types.count
    types.append(made)
    var object = schema
    if let parts = schema.node["allOf"]?.sequence {
      for part in parts.map({ Schema(place: schema.place, node: $0) }) {
        if let base = part.reference {
          made.base = (base.prefix(1).lowercased() + base.dropFirst(), try type(of: part).name)
        } else {
          object = part
        }
      }
    }
    made.words = object.node["enum"]?.sequence?.compactMap(\.string) ?? []
    let required = object.required
    for (json, schema) in object.members {
      let (type, mayBeNull) = try type(of: schema)
      let isLenient = schema.node["x-swift-optional"] != nil
      let isOptional = mayBeNull || isLenient || !required.contains(json)
      made.members.append(
        SwiftMember(
          json: json, name: schema.text("x-swift-name") ?? Self.camelCase(json), type: type + (isOptional ? "?" : ""),
          isOptional: isOptional, isRequired: required.contains(json) && !isLenient, isLenient: isLenient,
          preset: isOptional ? "nil" : Self.preset(schema, type), comment: try Self.comment(schema)))
    }
    types[place] = made
  }

  private static func preset(_ schema: Schema, _ type: String) -> String? {
    if let given = schema.text("default") { return type == "String" ? "\"\(given)\"" : given }
    return type.hasPrefix("[") ? type.contains(":") ? "[:]" : "[]" : nil
  }

  private static func comment(_ schema: Schema) throws -> String {
    guard let words = schema.text("description") else { throw DeclarationFault(schema.place, "it has no description") }
    return words
  }

  /// Returns a name of JSON as Swift writes it: `next_attempt_at` as `nextAttemptAt`.
  static func camelCase(_ name: String, _ separator: Character = "_") -> String {
    let words = name.split(separator: separator)
    return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }
}
