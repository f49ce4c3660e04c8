/// The sections of a file such as `~/.aws/credentials`, in their order.
///
/// Lines that begin with `#` or `;` are comments. Settings that are indented below one without a value belong to it (AWS's nested
/// settings), and are skipped, as are lines before the first section.
package struct INISections: Hashable, Sendable {
  /// The settings below one line with a title.
  package struct Section: Hashable, Sendable {
    /// The text in the brackets.
    package let title: String
    /// The values by the names of the settings in lower case. If a setting comes twice, the last one counts.
    package fileprivate(set) var values: [String: String] = [:]
  }

  /// The sections. A title may come more than once.
  package private(set) var sections: [Section] = []

  /// Reads a text.
  package init(_ text: String) {
    // The depth of a setting without a value: lines that are indented more belong to it.
    var emptyDepth = Int.max
    for line in text.split(whereSeparator: \.isNewline) {
      let depth = line.prefix { $0 == " " || $0 == "\t" }.count
      let line = line.trimmingBlanks
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        emptyDepth = .max
        sections.append(Section(title: String(line[line.index(after: line.startIndex)..<end].trimmingBlanks)))
      } else if !sections.isEmpty, depth <= emptyDepth, let equals = line.firstIndex(of: "=") {
        let value = line[line.index(after: equals)...].trimmingBlanks
        emptyDepth = value.isEmpty ? depth : .max
        sections[sections.count - 1].values[line[..<equals].trimmingBlanks.lowercased()] = String(value)
      }
    }
  }
}

extension Substring {
  /// The text without spaces and tabs at its ends.
  var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
