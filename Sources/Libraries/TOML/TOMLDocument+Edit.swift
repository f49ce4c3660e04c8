extension TOMLDocument {
  /// Returns a text with one value of a table changed or added, and everything else unchanged: comments, order and blanks.
  ///
  /// One line is changed or added. The result is nil if that does not give exactly the wanted document, e.g. because the table is
  /// written inline, and if the table does not exist.
  ///
  /// - Parameters:
  ///   - value: the value in TOML's form.
  ///   - path: the keys that lead to the table.
  public static func setting(_ key: String, to value: String, at path: [String], in source: [UInt8]) -> [UInt8]? {
    guard let old = parsed(source), let wanted = parsed(Array("value = \(value)".utf8))?["value"],
      let table = table(at: path[...], of: TOMLNode(value: .table(old), line: nil)),
      case .table(let entries) = table.value,
      let expected = replaced(old, path[...], key, wanted)
    else { return nil }
    let lines = TOMLLines(source)
    let candidates =
      if let entry = entries[key] {
        entry.line.map { lines.replacing(key, with: value, onLine: $0) } ?? []
      } else {
        // After the last of the short values, where people would look for it; otherwise after the header.
        [entries.values.compactMap(\.lineOfShortValue).max(), table.line].compactMap(\.self)
          .compactMap { lines.inserting("\(key) = \(value)", behindLine: $0) }
      }
    return candidates.first { parsed($0).map { plain($0) == plain(expected) } ?? false }
  }

  private static func parsed(_ source: [UInt8]) -> [String: TOMLNode]? {
    do throws(Fault) {
      return try TOMLDocument(source).root
    } catch {
      return nil
    }
  }

  private static func table(at path: ArraySlice<String>, of node: TOMLNode) -> TOMLNode? {
    guard let first = path.first else { return node }
    guard case .table(let entries) = node.value, let inner = entries[first] else { return nil }
    return table(at: path.dropFirst(), of: inner)
  }

  private static func replaced(
    _ table: [String: TOMLNode], _ path: ArraySlice<String>, _ key: String, _ value: TOMLNode
  ) -> [String: TOMLNode]? {
    var table = table
    guard let first = path.first else {
      table[key] = value
      return table
    }
    guard case .table(let inner)? = table[first]?.value, let changed = replaced(inner, path.dropFirst(), key, value)
    else { return nil }
    table[first] = TOMLNode(value: .table(changed), line: nil)
    return table
  }

  /// The same document without line numbers, for comparison.
  private static func plain(_ table: [String: TOMLNode]) -> [String: TOMLNode] { table.mapValues(plain) }

  private static func plain(_ node: TOMLNode) -> TOMLNode {
    switch node.value {
    case .table(let table): TOMLNode(value: .table(plain(table)), line: nil)
    case .array(let elements): TOMLNode(value: .array(elements.map(plain)), line: nil)
    case .string, .integer, .float, .boolean, .date: TOMLNode(value: node.value, line: nil)
    }
  }
}

extension TOMLNode {
  /// The line of a value that is usually written on one line; nil for tables and arrays.
  fileprivate var lineOfShortValue: Int? {
    switch value {
    case .string, .integer, .float, .boolean, .date: line
    case .table, .array: nil
    }
  }
}
