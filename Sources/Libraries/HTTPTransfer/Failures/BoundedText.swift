import Jobs

/// Escapes and shortens text of unknown length and content, so that it fits a line.
public enum BoundedText {
  /// The maximum number of Unicode scalars; a letter with marks has several.
  static let limit = 300

  /// Returns the text without white space at its ends, escaped. If it is longer than the limit, it is cut and ends with an
  /// ellipsis.
  public static func of(_ text: some StringProtocol) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    // Escaping never shortens a text, so this cut removes nothing that would be kept.
    let escaped = DisplayText.escape(
      String(String.UnicodeScalarView(text[first...last].unicodeScalars.prefix(limit + 1)))
    )
    .unicodeScalars
    guard escaped.count > limit else { return String(escaped) }
    return String(String.UnicodeScalarView(escaped.prefix(limit))) + "…"
  }
}
