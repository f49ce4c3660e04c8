/// Finds the server's own error text in the body of its answer.
public enum ServerMessage {
  /// Returns the message of a body; nil if it has none for a person.
  ///
  /// From JSON it takes the message and the list of errors, see ``JSONMessage``; from plain text the first line; from HTML the
  /// title; from other XML the text of an element such as `Message`. S3's XML is parsed by the S3 code. The message is limited to
  /// about 300 characters, escaped for a terminal, and has none of the request's secrets.
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
      let isPage = response.isHTML || response.beginsAsPage
      return (isPage ? MarkupText.title(body) : MarkupText.message(body)).flatMap(shown)
    }
    if type.map(isJSON) ?? false || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && type == nil {
      return JSONMessage.find(in: body, status: response.status).flatMap(shown)
    }
    guard type == nil || type == "text/plain" else { return nil }
    guard !body.contains(0), let text = String(validating: mask.hiding(in: response), as: UTF8.self) else { return nil }
    return text.split(whereSeparator: \.isNewline).lazy.compactMap(shown).first
  }

  private static func mediaType(_ value: String) -> String {
    String(value.prefix { $0 != ";" }).lowercased().filter { !$0.isWhitespace }
  }

  private static func isJSON(_ type: String) -> Bool { type == "application/json" || type.hasSuffix("+json") }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
