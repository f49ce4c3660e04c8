import FoundationEssentials

/// What the far side said about a failure, found in the body of its answer.
public enum FarSideMessage {
  /// The message of a body, nil if it has none that a person should read.
  ///
  /// Of JSON the first there is of `error` (a text, or an object with a `message`), `message`, `detail` and `title`
  /// (RFC 9457). An `error` that only repeats the status's reason phrase gives way to the others. Of plain text the
  /// first line. HTML and XML give nothing: S3's XML is read where S3 is spoken. At most some 300 characters,
  /// escaped for a terminal.
  public static func find(in body: [UInt8], contentType: String? = nil, status: Int? = nil) -> String? {
    let type = contentType.map(mediaType)
    guard let first = body.first(where: { !isSpace($0) }), first != UInt8(ascii: "<") else { return nil }
    if type.map(isJSON) ?? (first == UInt8(ascii: "{")) || first == UInt8(ascii: "{") {
      return fromJSON(body, status).flatMap(shown)
    }
    guard type == nil || type == "text/plain" else { return nil }
    guard !body.contains(0), let text = String(validating: body, as: UTF8.self) else { return nil }
    return text.split(whereSeparator: \.isNewline).lazy.compactMap(shown).first
  }

  private static func shown(_ text: some StringProtocol) -> String? {
    let bounded = BoundedText.of(text)
    return bounded.isEmpty ? nil : bounded
  }

  private static func fromJSON(_ body: [UInt8], _ status: Int?) -> String? {
    // A body that is cut off or malformed has no message; that is no failure of its own.
    guard let content = try? JSONDecoder().decode(JSONMessage.self, from: Data(body)) else { return nil }
    let phrase = status.flatMap(ReasonPhrase.of)
    return content.candidates.first { $0 != phrase } ?? content.candidates.first
  }

  private static func mediaType(_ value: String) -> String {
    String(value.prefix { $0 != ";" }).lowercased().filter { !$0.isWhitespace }
  }

  private static func isJSON(_ type: String) -> Bool { type == "application/json" || type.hasSuffix("+json") }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// The members of a JSON body that may hold the message; any of them may have another type than expected.
private struct JSONMessage: Decodable {
  /// The texts that are not empty, the best first.
  let candidates: [String]

  private enum Key: String, CodingKey {
    case error, message, detail, title
  }

  init(from decoder: any Decoder) throws {
    guard let members = try? decoder.container(keyedBy: Key.self) else {
      // A JSON text alone is a message too.
      candidates = [try decoder.singleValueContainer().decode(String.self)]
      return
    }
    let nested = try? members.nestedContainer(keyedBy: Key.self, forKey: .error)
    let texts = [
      Self.text(members, .error), nested.flatMap { Self.text($0, .message) }, Self.text(members, .message),
      Self.text(members, .detail), Self.text(members, .title),
    ]
    candidates = texts.compactMap(\.self).filter { !$0.allSatisfy(\.isWhitespace) }
  }

  private static func text(_ members: KeyedDecodingContainer<Key>, _ key: Key) -> String? {
    try? members.decode(String.self, forKey: key)
  }
}
