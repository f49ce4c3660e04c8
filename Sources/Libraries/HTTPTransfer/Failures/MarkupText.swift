/// Finds texts for people in HTML and XML without a parser, so that it can also read malformed documents, and those with bytes
/// that XML forbids.
enum MarkupText {
  /// The elements whose text is a message, the best ones first.
  private static let messages = ["message", "faultstring", "errormessage", "detail", "description", "reason", "title"]

  /// Returns the title of a page.
  static func title(_ body: [UInt8]) -> String? { text(of: "title", in: body, body.map { $0.asciiLowercased }) }

  /// Returns the message of a document.
  static func message(_ body: [UInt8]) -> String? {
    let lower = body.map { $0.asciiLowercased }
    return messages.lazy.compactMap { text(of: $0, in: body, lower) }.first
  }

  /// Returns the text of the first element with this name, up to the next tag. Prefix and case of the name do not matter. Nil if
  /// the text is blank.
  private static func text(of name: String, in body: [UInt8], _ lower: [UInt8]) -> String? {
    var rest = lower[...]
    while let found = rest.firstRange(of: name.utf8) {
      rest = rest[found.upperBound...]
      guard let before = lower[..<found.lowerBound].last, before == UInt8(ascii: "<") || before == UInt8(ascii: ":"),
        let after = rest.first, after == UInt8(ascii: ">") || after <= 0x20,
        let start = rest.firstIndex(of: UInt8(ascii: ">")), rest[..<start].last != UInt8(ascii: "/")
      else { continue }
      var content = body[(start + 1)...]
      let section = "<![CDATA[".utf8
      if content.starts(with: section) {
        content = content.dropFirst(section.count)
        content = content[..<(content.firstRange(of: "]]>".utf8)?.lowerBound ?? content.endIndex)]
      } else {
        content = content.prefix { $0 != UInt8(ascii: "<") }
      }
      let words = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if !words.isEmpty { return unescaped(words) }
    }
    return nil
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
