import Jobs

/// The reason why a text is not a template of keys or links.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault, as a predicate: `has a { that is not closed`.
  let words: String

  /// The same as ``words``.
  public var description: String { words }
}

extension Template {
  /// Reads a template of keys or links.
  init(of text: String, known: (String) -> Placeholder?) throws(TemplateError) {
    do throws(TemplateFault) {
      try self.init(text, known: known)
    } catch {
      switch error {
      case .unclosed: throw TemplateError(words: "has a { that is not closed")
      case .unopened: throw TemplateError(words: "has a } that closes nothing")
      case .unknown(let name): throw TemplateError(words: "has the unknown placeholder {\(name)}")
      }
    }
  }
}
