import Messages

/// Finds the message in a JSON body: the first text under one of the usual names, or in an object or a list under one of them. A text
/// that only repeats the status's reason phrase is used only if there is no other. Further details are in the answer (``FailedAnswer``).
enum MessageInJSON {
  /// The names of a message, the best ones first. `title` is that of RFC 9457.
  private static let names = ["error", "message", "msg", "detail", "title", "errors"]

  static func find(in body: [UInt8], status: Int) -> String? {
    // Ignored: a truncated or malformed body simply has no message.
    guard let value = try? JSONReader.answer(body) else { return nil }
    let texts = texts(of: value)
    let phrase = ReasonPhrase.of(status)
    return texts.first { $0 != phrase } ?? texts.first
  }

  private static func texts(of value: JSONNode) -> [String] {
    switch value {
    case .text(let text): return text.allSatisfy(\.isWhitespace) ? [] : [text]
    case .array(let items): return items.flatMap(texts)
    case .object(let object):
      let said = names.flatMap { name in object.members.filter { $0.name == name }.flatMap { texts(of: $0.value) } }
      guard said.isEmpty else { return said }
      // Many frameworks give lists of errors by field. Those above have none: to search them twice takes 2^n times, n deep.
      let fields = object.members.filter { if case .array = $0.value { !names.contains($0.name) } else { false } }
      return fields.flatMap { field in texts(of: field.value).map { "\(field.name): \($0)" } }
    default: return []
    }
  }
}
