/// A setting that is one of a few words.
protocol Choice: RawRepresentable<String>, CaseIterable, Sendable {}

/// Values by type. Each function returns the default if the key is missing. It also does so if it reported a problem, because
/// then the configuration is not used.
extension Section {
  mutating func text(_ key: String, example: String) -> String? {
    guard let node = node(key) else { return nil }
    guard let text = node.text else {
      wrongType(key, node, "a string", example: "\(key) = \(example)")
      return nil
    }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return refuse(key, "has a control character in it")
    }
    return text
  }

  /// Returns a text that must be there and not be empty.
  mutating func requiredText(_ key: String, example: String) -> String? {
    guard has(key) else {
      missing(key, example: example)
      return nil
    }
    guard let text = text(key, example: example) else { return nil }
    guard !text.isEmpty else {
      return refuse(key, "is empty", "write it like \(key) = \(example)")
    }
    return text
  }

  /// Returns a text that must not be empty, if the key is there.
  mutating func optionalText(_ key: String, example: String) -> String? {
    has(key) ? requiredText(key, example: example) : nil
  }

  mutating func flag(_ key: String, default preset: Bool) -> Bool {
    guard let node = node(key) else { return preset }
    guard case .boolean(let flag) = node.value else {
      wrongType(key, node, "true or false", example: "\(key) = \(preset)")
      return preset
    }
    return flag
  }

  mutating func integer(_ key: String, default preset: Int, in range: ClosedRange<Int>) -> Int {
    guard let node = node(key) else { return preset }
    guard case .integer(let number) = node.value else {
      wrongType(key, node, "an integer", example: "\(key) = \(preset)")
      return preset
    }
    guard range.contains(number) else {
      problem(key, "\(number) is out of range", "it may be \(range.lowerBound) to \(range.upperBound)")
      return preset
    }
    return number
  }

  mutating func choice<C: Choice>(_ key: String, default preset: C) -> C {
    guard let node = node(key) else { return preset }
    guard let text = node.text else {
      wrongType(key, node, "a string", example: "\(key) = \(Quoted(preset.rawValue))")
      return preset
    }
    guard let choice = C(rawValue: text) else {
      problem(key, "\(Quoted(text)) is not known", "it may be \(Quoted.list(C.allCases.map(\.rawValue)))")
      return preset
    }
    return choice
  }

  mutating func duration(_ key: String, default preset: SpanText, in range: ClosedRange<SpanText>) -> Duration {
    quantity(key, default: preset, in: range)
  }

  /// Does the same with a default that is defined elsewhere.
  mutating func duration(_ key: String, default preset: Duration, in range: ClosedRange<SpanText>) -> Duration {
    quantity(key, default: SpanText(preset), in: range)
  }

  /// Returns nil if the key is missing.
  mutating func optionalDuration(_ key: String, example: SpanText, in range: ClosedRange<SpanText>) -> Duration? {
    node(key).flatMap { quantity(key, $0, example: "\(key) = \(Quoted(example.text))", in: range) }
  }

  mutating func size(_ key: String, default preset: ByteText, in range: ClosedRange<ByteText>) -> Int64 {
    quantity(key, default: preset, in: range)
  }

  private mutating func quantity<Value>(
    _ key: String, default preset: QuantityText<Value>, in range: ClosedRange<QuantityText<Value>>
  ) -> Value {
    guard let node = node(key) else { return preset.value }
    return quantity(key, node, example: "\(key) = \(Quoted(preset.text))", in: range) ?? preset.value
  }

  /// Returns the quantity in a node of that key; nil if a problem was reported.
  func quantity<Value>(
    _ key: String, _ node: Node, example: String, in range: ClosedRange<QuantityText<Value>>
  ) -> Value? {
    guard let text = node.text else {
      wrongType(key, node, "a \(Value.word) in quotes", example: example)
      return nil
    }
    guard let value = Value.read(text) else {
      return refuse(
        key, "\(Quoted(text)) is not a \(Value.word)", "write it like \(example), with the units \(Value.units)",
        line: node.line)
    }
    guard range.lowerBound.value <= value, value <= range.upperBound.value else {
      return refuse(
        key, "\(Quoted(text)) is out of range", "it may be \(range.lowerBound.text) to \(range.upperBound.text)",
        line: node.line)
    }
    return value
  }

  /// Returns the strings of an array; nil if the key is missing or a problem was reported.
  mutating func texts(_ key: String, atMost limit: Int, example: String) -> [(text: String, line: Int?)]? {
    guard let nodes = array(key, atMost: limit, of: "strings", example: example) else { return nil }
    var texts: [(text: String, line: Int?)] = []
    for node in nodes {
      guard let text = node.text else {
        return refuse(
          key, "has \(node.shown) in it where a string belongs", "write it like \(example)", line: node.line)
      }
      texts.append((text, node.line))
    }
    return texts
  }

  /// Returns the elements of an array; nil if the key is missing or a problem was reported.
  mutating func array(_ key: String, atMost limit: Int, of what: String, example: String) -> [Node]? {
    guard let node = node(key) else { return nil }
    guard case .array(let nodes) = node.value else {
      wrongType(key, node, "an array of \(what)", example: example)
      return nil
    }
    guard nodes.count <= limit else {
      return refuse(key, "has \(nodes.count) elements", "it may have at most \(limit)")
    }
    return nodes
  }

  /// Returns a table inside this one as a section.
  mutating func section(_ key: String, example: String) -> Section? {
    let scope = environment?.inner(key)
    guard let node = node(key) else {
      guard let scope, environment?.has(key) == true else { return nil }
      return Section(
        file: EnvironmentSettings.file, path: keyPath(key), line: nil, table: [:], problems: problems,
        environment: scope
      ).with(\.captures, captures)
    }
    guard case .table(let inner) = node.value else {
      wrongType(key, node, "a table", example: example)
      return nil
    }
    return Section(
      file: node.variable == nil ? file : EnvironmentSettings.file, path: keyPath(key), line: node.line, table: inner,
      problems: problems, environment: scope
    ).with(\.captures, captures)
  }
}
