import Jobs

/// Finds the server's own error text in the body of its answer.
public enum ServerMessage {
  /// Returns the message of a body; nil if it has none for a person.
  ///
  /// From JSON it takes the message (``MessageInJSON``), from plain text the first line, from HTML the title. S3's XML is parsed by the S3
  /// code, and other XML is only shown as it is (``FailedAnswer``). The message is limited to about 300 characters, escaped for a
  /// terminal, and has none of the request's secrets.
  public static func find(in response: HTTPResponse, hiding mask: SecretMask) -> String? {
    let body = response.body
    let type = response.headers[first: "Content-Type"].map(mediaType)
    func shown(_ text: some StringProtocol) -> String? {
      let bounded = BoundedText.of(mask.hiding(in: String(text)))
      return bounded.isEmpty ? nil : bounded
    }
    guard let first = body.first(where: { !isSpace($0) }) else { return nil }
    if first == UInt8(ascii: "<") {
      // A proxy's page may have the type of the answer that it replaces.
      return response.isHTML || response.beginsAsPage ? title(of: body).flatMap(shown) : nil
    }
    if type.map(isJSON) ?? false || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && type == nil {
      return MessageInJSON.find(in: body, status: response.status).flatMap(shown)
    }
    guard type == nil || type == "text/plain" else { return nil }
    guard !body.contains(0), let text = String(validating: mask.hiding(in: response), as: UTF8.self) else { return nil }
    return text.split(whereSeparator: \.isNewline).lazy.compactMap(shown).first
  }

  /// Returns the text of an HTML page's title, up to the next tag. Also finds the title of a malformed page.
  private static func title(of page: [UInt8]) -> String? {
    let lower = page.map { $0.asciiLowercased }
    guard let name = lower.firstRange(of: "<title".utf8), let next = lower[name.upperBound...].first,
      next == UInt8(ascii: ">") || isSpace(next),
      let start = lower[name.upperBound...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let content = String(decoding: page[(start + 1)...].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self)
    return content.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func mediaType(_ value: String) -> String {
    String(value.prefix { $0 != ";" }).lowercased().filter { !$0.isWhitespace }
  }

  private static func isJSON(_ type: String) -> Bool { type == "application/json" || type.hasSuffix("+json") }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// The beginning of a failed answer for a person, in case it contains no recognized message, or not the important one.
public enum FailedAnswer {
  /// The maximum number of bytes of the body.
  static let limit = 2048

  /// Returns the beginning of the body without the request's secrets, with each line escaped; nil if it is blank.
  public static func text(_ response: HTTPResponse, hiding mask: SecretMask) -> String? {
    let lines = mask.hiding(in: response).prefix(limit).split(omittingEmptySubsequences: false) { $0 == 0x0A }.map {
      line in
      var line = line.map { $0 == 0x09 ? 0x20 : $0 }
      while let last = line.last, last == 0x20 || last == 0x0D { line.removeLast() }
      return DisplayText.escape(line)
    }
    let text = lines.joined(separator: "\n")
    return text.allSatisfy(\.isWhitespace) ? nil : text
  }
}

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
