import Jobs

/// Text of unknown length and content, cut and made safe for a line.
enum BoundedText {
  /// The most characters that are kept.
  static let limit = 300

  /// The text without white space around it, escaped; cut at the limit, with an ellipsis where something is missing.
  static func of(_ text: some StringProtocol) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    // Escaping never makes text shorter, so what is cut before it could not have been kept.
    let escaped = DisplayText.escape(String(text[first...last].prefix(limit + 1)))
    return escaped.count <= limit ? escaped : escaped.prefix(limit) + "…"
  }
}
