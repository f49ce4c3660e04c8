public import Jobs

/// A value of JSON that is configured for a backend: of its own object, whose texts are templates, or of its answers.
public indirect enum FieldValue<Text: Hashable & Sendable>: Hashable, Sendable {
  case text(Text)
  /// A number, true or false, as JSON.
  case constant(String)
  case array([FieldValue])
  case object([String: FieldValue])

  /// All its texts.
  public var texts: [Text] {
    switch self {
    case .text(let text): [text]
    case .constant: []
    case .array(let elements): elements.flatMap(\.texts)
    case .object(let members): members.values.flatMap(\.texts)
    }
  }

  /// Returns the same value with other texts.
  public func map<Other>(
    _ change: (Text) throws(TemplateFault) -> Other
  ) throws(TemplateFault) -> FieldValue<Other> {
    switch self {
    case .text(let text): return .text(try change(text))
    case .constant(let json): return .constant(json)
    case .array(let elements):
      var others: [FieldValue<Other>] = []
      for element in elements { others.append(try element.map(change)) }
      return .array(others)
    case .object(let members):
      var others: [String: FieldValue<Other>] = [:]
      for (name, value) in members { others[name] = try value.map(change) }
      return .object(others)
    }
  }
}

extension FieldValue<String> {
  /// True if it fits into a form, which has no lists and no objects in an object.
  var fitsForm: Bool {
    guard case .object(let members) = self else { return false }
    return members.values.allSatisfy { value in
      if case .text(let text) = value { text != "{files}" } else if case .constant = value { true } else { false }
    }
  }
}

extension Section {
  mutating func fields(_ key: String) -> FieldValue<String> {
    section(key, example: "\(key) = { file = \"{name}\" }")?.fieldValues ?? .object([:])
  }

  private var fieldValues: FieldValue<String> {
    var fields: [String: FieldValue<String>] = [:]
    for (name, node) in table { fields[name] = field(name, node) }
    return .object(fields)
  }

  private func field(_ key: String, _ node: Node) -> FieldValue<String>? {
    if let text = node.text, template(key, text, Placeholders.field) == nil { return nil }
    if let leaf = node.leaf { return leaf }
    if let elements = node.array { return .array(elements.compactMap { field(key, $0) }) }
    if let table = node.table {
      return Section(
        file: file, path: keyPath(key), line: node.line, table: table, problems: problems, captures: captures
      ).fieldValues
    }
    wrongType(
      key, node, "a string, a finite number, true, false, an array or a table", example: "\(shownKey(key)) = \"{link}\""
    )
    return nil
  }
}
