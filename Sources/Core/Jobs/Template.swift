/// A template from a configuration: constant text and placeholders in braces, e.g. `{spool}/{name}`.
public struct Template<Placeholder: Hashable & Sendable>: Hashable, Sendable {
  /// A piece of a template.
  public enum Part: Hashable, Sendable {
    /// Constant text.
    case text(String)
    /// A placeholder, which a value replaces.
    case placeholder(Placeholder)
  }

  package let parts: [Part]

  /// Reads a template; `known` returns the placeholder for a name in braces, nil if there is none of that name.
  /// - Throws: ``TemplateFault``.
  public init(_ text: String, known: (String) -> Placeholder?) throws(TemplateFault) {
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
      guard let placeholder = known(String(name)) else { throw .unknown(String(name)) }
      parts.append(.placeholder(placeholder))
      rest = rest.dropFirst(name.count + 1)
    }
    self.parts = parts
  }

  /// The text with a value in place of each placeholder.
  package func text(_ value: (Placeholder) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .placeholder(let placeholder): value(placeholder)
      }
    }.joined()
  }

  /// The pieces between slashes. A piece with a placeholder is nil, because it can be checked only when it is rendered.
  public var constantSegments: [String?] {
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

/// The reason why a text is no template.
public enum TemplateFault: Error, Hashable, Sendable {
  /// A `{` is not closed.
  case unclosed
  /// A `}` closes nothing.
  case unopened
  /// There is no placeholder of that name.
  case unknown(String)
}
