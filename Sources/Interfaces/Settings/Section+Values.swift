import Jobs

/// A setting that is one of a few words.
protocol Choice: RawRepresentable<String>, CaseIterable, Sendable {}

/// Values by type. Each function returns the default if the key is missing. It also does so if it reported a problem, because
/// then the configuration is not used.
extension Section {
  /// Returns the value of a key if it has that type; nil if the key is missing or a problem was reported.
  private mutating func value<Value>(
    _ key: String, _ wanted: String, example: String, _ read: (Node) -> Value?
  ) -> Value? {
    guard let node = node(key) else { return nil }
    if let value = read(node) { return value }
    wrongType(key, node, wanted, example: "\(key) = \(example)")
    return nil
  }

  mutating func text(_ key: String, example: String) -> String? {
    guard let text = value(key, "a string", example: example, \.text) else { return nil }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return refuse(key, "has a control character in it")
    }
    return text
  }

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

  mutating func optionalText(_ key: String, example: String) -> String? {
    has(key) ? requiredText(key, example: example) : nil
  }

  mutating func flag(_ key: String, default preset: Bool) -> Bool {
    value(key, "true or false", example: "\(preset)", \.flag) ?? preset
  }

  mutating func integer(_ key: String, default preset: Int, in range: ClosedRange<Int>) -> Int {
    let number = value(key, "an integer", example: "\(preset)", \.integer) ?? preset
    guard range.contains(number) else {
      problem(key, "\(number) is out of range", "it may be \(range.lowerBound) to \(range.upperBound)")
      return preset
    }
    return number
  }

  /// Returns a limit of requests a second; nil for none.
  mutating func rate(_ key: String) -> Double? {
    guard let rate = value(key, "a number", example: "50", \.number) else { return nil }
    guard TokenBucket.rates.contains(rate) else {
      return refuse(key, "\(TokenBucket.text(rate)) is out of range", "it may be 0.001 to 100000")
    }
    return rate
  }

  mutating func choice<C: Choice>(_ key: String, default preset: C) -> C {
    let text = value(key, "a string", example: quoted(preset.rawValue), \.text) ?? preset.rawValue
    guard let choice = C(rawValue: text) else {
      problem(key, "\(quoted(text)) is not known", "it may be \(quotedList(C.allCases.map(\.rawValue)))")
      return preset
    }
    return choice
  }

  mutating func duration(_ key: String, default preset: Duration, in range: ClosedRange<SpanText>) -> Duration {
    optionalQuantity(key, example: SpanText(preset), in: range) ?? preset
  }

  mutating func size(_ key: String, default preset: ByteText, in range: ClosedRange<ByteText>) -> Int64 {
    optionalQuantity(key, example: preset, in: range) ?? preset.value
  }

  mutating func optionalQuantity<Value>(
    _ key: String, example: QuantityText<Value>, in range: ClosedRange<QuantityText<Value>>
  ) -> Value? {
    node(key).flatMap { quantity(key, $0, example: quoted(example.text), in: range) }
  }

  func quantity<Value>(
    _ key: String, _ node: Node, example: String, in range: ClosedRange<QuantityText<Value>>
  ) -> Value? {
    guard let text = node.text else {
      wrongType(key, node, "a \(Value.word) in quotes", example: "\(key) = \(example)")
      return nil
    }
    guard let value = Value.read(text) else {
      return refuse(
        key, "\(quoted(text)) is not a \(Value.word)",
        "write it like \(key) = \(example), with the units \(Value.units)",
        line: node.line)
    }
    guard range.lowerBound.value <= value, value <= range.upperBound.value else {
      return refuse(
        key, "\(quoted(text)) is out of range", "it may be \(range.lowerBound.text) to \(range.upperBound.text)",
        line: node.line)
    }
    return value
  }

  /// Returns the elements of an array with their lines; nil if the key is missing or a problem was reported.
  /// - Parameter type: the words for one element, and for several.
  mutating func elements<Element>(
    _ key: String, atMost limit: Int, _ type: (one: String, many: String), example: String, _ read: (Node) -> Element?
  ) -> [(value: Element, line: Int?)]? {
    guard let nodes = value(key, "an array of \(type.many)", example: example, \.array) else { return nil }
    guard nodes.count <= limit else {
      return refuse(key, "has \(nodes.count) elements", "it may have at most \(limit)")
    }
    if let other = nodes.first(where: { read($0) == nil }) {
      return refuse(
        key, "has \(other.shown) in it where \(type.one) belongs", "write it like \(key) = \(example)", line: other.line
      )
    }
    return nodes.compactMap { node in read(node).map { ($0, node.line) } }
  }

  mutating func texts(_ key: String, atMost limit: Int, example: String) -> [(value: String, line: Int?)]? {
    elements(key, atMost: limit, ("a string", "strings"), example: example, \.text)
  }

  mutating func choices<C: Choice & Hashable>(_ key: String, example: String) -> Set<C>? {
    guard let texts = texts(key, atMost: 16, example: example) else { return nil }
    for (text, line) in texts where C(rawValue: text) == nil {
      let all = quotedList(C.allCases.map(\.rawValue))
      problem(key, "\(quoted(text)) is not known", "it may have \(all)", line: line)
    }
    return Set(texts.compactMap { C(rawValue: $0.value) })
  }

  /// Returns a table inside this one as a section.
  mutating func section(_ key: String, example: String) -> Section? {
    let inner = beginnings.map { $0 + EnvironmentSettings.word(key) + "_" }
    let isSet = inner.contains { keyCheck.settings.hasAny(beginningWith: $0) }
    guard let node = node(key) ?? (isSet ? .ofVariables : nil) else { return nil }
    guard let table = node.table else {
      wrongType(key, node, "a table", example: example)
      return nil
    }
    return Section(
      file: node.variable == nil ? file : EnvironmentSettings.file, path: keyPath(key), line: node.line, table: table,
      problems: problems, beginnings: inner, captures: captures)
  }
}
