/// A key's or link's template as a configuration has it: constant text and placeholders in braces.
struct Template {
  enum Part: Hashable {
    case text(String)
    case placeholder(String)
  }

  /// Why a text is none.
  enum Fault: Error {
    case unclosed
    case unopened
    case unknown(String)
  }

  /// What a key's template may name.
  static let keyPlaceholders = ["spool", "yyyy", "mm", "dd", "id", "name", "stem", "ext", "job", "host", "path"]
  /// What a link's template may name.
  static let linkPlaceholders = ["bucket", "key"] + keyPlaceholders

  let parts: [Part]

  init(_ text: String, placeholders: [String]) throws(Fault) {
    var parts: [Part] = []
    var rest = text[...]
    while !rest.isEmpty {
      let constant = rest.prefix { $0 != "{" && $0 != "}" }
      if !constant.isEmpty { parts.append(.text(String(constant))) }
      rest = rest.dropFirst(constant.count)
      guard let brace = rest.popFirst() else { break }
      guard brace == "{" else { throw .unopened }
      let name = rest.prefix { $0 != "{" && $0 != "}" }
      guard rest.dropFirst(name.count).first == "}" else { throw .unclosed }
      guard placeholders.contains(String(name)) else { throw .unknown(String(name)) }
      parts.append(.placeholder(String(name)))
      rest = rest.dropFirst(name.count + 1)
    }
    self.parts = parts
  }

  /// The pieces between slashes. A piece is nil where a placeholder stands in it: it is judged when it is rendered.
  var constantSegments: [String?] {
    var segments: [String?] = [""]
    for part in parts {
      switch part {
      case .placeholder: segments[segments.count - 1] = nil
      case .text(let text):
        let pieces = text.split(separator: "/", omittingEmptySubsequences: false)
        for (position, piece) in pieces.enumerated() {
          if position > 0 { segments.append("") }
          segments[segments.count - 1]? += piece
        }
      }
    }
    return segments
  }
}
