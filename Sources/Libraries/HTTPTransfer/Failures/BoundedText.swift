import Jobs

/// Makes text of unknown length and content safe for a line, and cuts it.
public enum BoundedText {
  /// The largest number of Unicode scalars that are kept: a letter and the marks on it are several.
  static let limit = 300

  /// Returns the text without white space around it, escaped; it is cut at the limit, with an ellipsis in place of the rest.
  public static func of(_ text: some StringProtocol) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    // Escaping never makes text shorter, so this cut removes only what would not be kept.
    let escaped = DisplayText.escape(
      String(String.UnicodeScalarView(text[first...last].unicodeScalars.prefix(limit + 1)))
    )
    .unicodeScalars
    guard escaped.count > limit else { return String(escaped) }
    return String(String.UnicodeScalarView(escaped.prefix(limit))) + "…"
  }
}
