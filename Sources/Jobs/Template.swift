/// Constant text and placeholders in braces, as a key's or a link's template has them.
struct Template<Placeholder: Hashable & Sendable>: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case placeholder(Placeholder)
  }

  let parts: [Part]

  /// - Parameter known: the placeholder of a name, nil for an unknown one.
  /// - Throws: ``TemplateError`` for a brace without its other half and for an unknown placeholder.
  init(_ text: String, known: (String) -> Placeholder?) throws(TemplateError) {
    var parts: [Part] = []
    var rest = text[...]
    while !rest.isEmpty {
      let constant = rest.prefix { $0 != "{" && $0 != "}" }
      if !constant.isEmpty { parts.append(.text(String(constant))) }
      rest = rest.dropFirst(constant.count)
      guard let brace = rest.popFirst() else { break }
      guard brace == "{" else { throw TemplateError(words: "has a } that closes nothing") }
      let name = rest.prefix { $0 != "{" && $0 != "}" }
      guard rest.dropFirst(name.count).first == "}" else { throw TemplateError(words: "has a { that is not closed") }
      guard let placeholder = known(String(name)) else {
        throw TemplateError(words: "has the unknown placeholder {\(name)}")
      }
      parts.append(.placeholder(placeholder))
      rest = rest.dropFirst(name.count + 1)
    }
    self.parts = parts
  }

  /// The pieces between slashes; nil where a placeholder stands in one, since it is judged when it is rendered.
  var constantSegments: [String?] {
    var segments: [String?] = [""]
    for part in parts {
      switch part {
      case .placeholder: segments[segments.count - 1] = nil
      case .text(let text):
        for (position, piece) in text.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
          if position > 0 { segments.append("") }
          segments[segments.count - 1]? += piece
        }
      }
    }
    return segments
  }
}

/// Why a text is no template.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with it, as a predicate: `has a { that is not closed`.
  public let words: String

  /// The words.
  public var description: String { words }
}
