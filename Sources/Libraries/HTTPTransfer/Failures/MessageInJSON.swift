import Messages

/// Finds the message in a JSON body, in the forms that backends commonly use.
///
/// The headline is the first that exists of `error` (a text, or an object with a `message`), `message`, `detail` and `title` (RFC
/// 9457), then of less common names. A headline that only repeats the status's reason phrase is used only if there is no other.
/// The details are the members of `errors`, or of a list or an object in place of the headline: texts, objects with a message and
/// the field that it concerns, or lists of messages by field (`{"invoice":["is taken"]}`). Both together give `HEADLINE
/// (DETAILS)`.
enum MessageInJSON {
  /// The maximum number of details.
  private static let mostDetails = 8

  static func find(in body: [UInt8], status: Int?) -> String? {
    // Ignored: a truncated or malformed body simply has no message.
    guard let value = try? JSONReader.answer(body) else { return nil }
    return message(of: value, phrase: status.flatMap(ReasonPhrase.of))
  }

  private static func message(of value: JSONNode, phrase: String?) -> String? {
    guard let members = value.members else { return details(of: value) }
    let headlines = headlines(of: members)
    let headline = headlines.first { $0 != phrase } ?? headlines.first
    var details = details(of: members["errors"])
    if details == nil { details = Self.details(of: members["error"]?.members?["errors"]) }
    if headline == nil, details == nil {
      details =
        ["error", "message", "detail"].lazy.compactMap { Self.details(of: members[$0]) }.first ?? lists(members)
    }
    switch (headline, details) {
    case (let headline?, let details?) where headline == phrase || headline == details: return details
    case (let headline?, let details?): return "\(headline) (\(details))"
    case (let headline?, nil): return headline
    case (nil, let details): return details
    }
  }

  private static func headlines(of members: [String: JSONNode]) -> [String] {
    var texts = [members["error"]?.words]
    if let error = members["error"]?.members { texts += [error["message"]?.words, error["detail"]?.words] }
    if let description = members["error_description"]?.words {
      // OAuth 2.0 (RFC 6749, 5.2): the error code and its meaning in this case.
      texts.insert(members["error"]?.words.map { "\($0): \(description)" } ?? description, at: 0)
    }
    texts += ["message", "detail", "title", "errorMessage", "error_message", "msg", "reason", "description"].map {
      members[$0]?.words
    }
    return texts.compactMap(\.self)
  }

  /// Returns the messages in a list, or in an object of fields; nil if there are none.
  private static func details(of value: JSONNode?) -> String? {
    if case .array(let items)? = value { return joined(items.compactMap(detail)) }
    if let members = value?.members, let lists = Self.lists(members, takingTexts: true) { return lists }
    return value.flatMap(detail)
  }

  /// Returns one error of a list: its message, with the field that it concerns.
  private static func detail(_ value: JSONNode) -> String? {
    guard let members = value.members else { return value.words }
    let words = ["message", "msg", "detail", "title", "description", "reason", "error"].lazy
      .compactMap { members[$0]?.words }.first
    guard let words else { return lists(members) }
    return field(members).map { "\($0): \(words)" } ?? words
  }

  private static func field(_ members: [String: JSONNode]) -> String? {
    if let source = members["source"]?.members {
      // JSON:API 1.1, error objects
      return source["pointer"]?.words ?? source["parameter"]?.words
    }
    if case .array(let path)? = members["loc"] ?? members["path"] {
      let names = path.compactMap(\.words)
      return names.isEmpty ? nil : names.joined(separator: ".")
    }
    return ["field", "property", "param", "parameter", "attribute", "pointer", "path", "name"].lazy
      .compactMap { members[$0]?.words }.first
  }

  /// Returns lists of messages by field, sorted by the field's name.
  private static func lists(_ members: [String: JSONNode], takingTexts: Bool = false) -> String? {
    joined(
      members.sorted { $0.key < $1.key }.compactMap { name, value in
        switch value {
        case .array(let items):
          let texts = items.compactMap(detail)
          return texts.isEmpty ? nil : "\(name): \(texts.joined(separator: ", "))"
        case .text where takingTexts && name != "code" && name != "type": return value.words.map { "\(name): \($0)" }
        default: return nil
        }
      })
  }

  private static func joined(_ details: [String]) -> String? {
    details.isEmpty ? nil : details.prefix(mostDetails).joined(separator: "; ")
  }
}

extension JSONNode {
  /// The members, if it is an object.
  fileprivate var members: [String: JSONNode]? {
    guard case .object(let object) = self else { return nil }
    return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  /// The text of the value, if it is a string and not blank.
  fileprivate var words: String? {
    guard case .text(let text) = self, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text
  }
}
