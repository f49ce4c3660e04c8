import Jobs

/// Text of unknown length and content, cut and made safe for a line.
public enum BoundedText {
  /// The most characters that are kept, as Unicode counts them: a letter and the marks on it are several.
  static let limit = 300

  /// The text without white space around it, escaped; cut at the limit, with an ellipsis where something is missing.
  public static func of(_ text: some StringProtocol) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    // Escaping never makes text shorter, so what is cut before it could not have been kept.
    let escaped = DisplayText.escape(
      String(String.UnicodeScalarView(text[first...last].unicodeScalars.prefix(limit + 1)))
    )
    .unicodeScalars
    guard escaped.count > limit else { return String(escaped) }
    return String(String.UnicodeScalarView(escaped.prefix(limit))) + "…"
  }
}
