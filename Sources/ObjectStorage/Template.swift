/// Constant text and placeholders in braces, as a key's or a link's template has them.
struct Template: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case placeholder(String)
  }

  let parts: [Part]

  /// - Throws: ``TemplateError`` for a brace without its other half and for an unknown placeholder.
  init(_ text: String, placeholders: [String]) throws(TemplateError) {
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
      guard placeholders.contains(String(name)) else {
        throw TemplateError(words: "has the unknown placeholder {\(name)}")
      }
      parts.append(.placeholder(String(name)))
      rest = rest.dropFirst(name.count + 1)
    }
    self.parts = parts
  }
}

/// Why a text is no template.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with it, as a predicate: `has a { that is not closed`.
  public let words: String

  /// The words.
  public var description: String { words }
}
