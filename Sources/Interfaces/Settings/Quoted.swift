import Jobs

/// A text from a configuration file in the form for errors: in quotes, safe for a terminal, and not longer than a line.
struct Quoted: CustomStringConvertible {
  let text: String

  init(_ text: String) { self.text = text }

  var description: String {
    let limit = 120
    let shown = text.count > limit ? text.prefix(limit) + "…" : text[...]
    return "\"\(DisplayText.escape(String(shown)))\""
  }

  /// Returns several texts with commas between them.
  static func list(_ texts: some Sequence<String>) -> String {
    texts.map { Quoted($0).description }.joined(separator: ", ")
  }
}
