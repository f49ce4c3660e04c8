/// Finds the title of an HTML page without a parser, so that it can also read malformed pages.
enum PageTitle {
  /// Returns the text of the first `title`, up to the next tag; nil if there is none or it is blank.
  static func of(_ page: [UInt8]) -> String? {
    let lower = page.map { $0.asciiLowercased }
    guard let name = lower.firstRange(of: "<title".utf8), let next = lower[name.upperBound...].first,
      next == UInt8(ascii: ">") || next <= 0x20, let start = lower[name.upperBound...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let content = page[(start + 1)...].prefix { $0 != UInt8(ascii: "<") }
    let words = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.isEmpty ? nil : unescaped(words)
  }

  /// The entities for single ASCII characters (XML 1.0, section 4.6); `&amp;` is the last, so that nothing is decoded twice.
  private static let entities = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
  ]

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    return entities.reduce(text) { text, entity in
      text.split(separator: entity.0, omittingEmptySubsequences: false).joined(separator: entity.1)
    }
  }
}
