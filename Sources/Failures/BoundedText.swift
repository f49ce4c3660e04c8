import Jobs

/// Text of unknown length and content, cut and made safe for a line.
enum BoundedText {
  /// The most characters that are kept.
  static let limit = 300

  /// The text without white space around it, escaped; cut at the limit, with an ellipsis where something is missing.
  static func of(_ text: some StringProtocol) -> String {
    let start = text.drop { $0.isWhitespace }
    // Escaping makes text longer but never shorter, so what is cut before it could not have been kept.
    let escaped = DisplayText.escape(String(start.prefix(limit + 1)))
    let end = escaped.prefix(limit)
    if end.count == escaped.count, start.count <= limit { return trimmedEnd(escaped) }
    return trimmedEnd(end) + "…"
  }

  private static func trimmedEnd(_ text: some StringProtocol) -> String {
    var end = text.endIndex
    while end > text.startIndex {
      let before = text.index(before: end)
      guard text[before].isWhitespace else { break }
      end = before
    }
    return String(text[..<end])
  }
}
