import FoundationEssentials

/// Finds the message in a JSON body, in the forms that backends commonly use.
///
/// The headline is the first that exists of `error` (a text, or an object with a `message`), `message`, `detail` and `title` (RFC
/// 9457), then of less common names. A headline that only repeats the status's reason phrase is used only if there is no other.
/// The details are the members of `errors`, or of a list or an object in place of the headline: texts, objects with a message and
/// the field that it concerns, or lists of messages by field (`{"invoice":["is taken"]}`). Both together give `HEADLINE
/// (DETAILS)`.
enum JSONMessage {
  /// The maximum number of details.
  private static let mostDetails = 8

  static func find(in body: [UInt8], status: Int?) -> String? {
    // Ignored: a truncated or malformed body simply has no message.
    guard let tree = try? JSONDecoder().decode(JSONTree.self, from: Data(body)) else { return nil }
    return message(of: tree, phrase: status.flatMap(ReasonPhrase.of))
  }

  private static func message(of tree: JSONTree, phrase: String?) -> String? {
    guard case .object(let members) = tree else { return details(of: tree) }
    let headlines = headlines(of: members)
    let headline = headlines.first { $0 != phrase } ?? headlines.first
    var details = details(of: members["errors"])
    if details == nil, case .object(let error)? = members["error"] { details = Self.details(of: error["errors"]) }
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

  private static func headlines(of members: [String: JSONTree]) -> [String] {
    var texts = [members["error"]?.text]
    if case .object(let error)? = members["error"] { texts += [error["message"]?.text, error["detail"]?.text] }
    if let description = members["error_description"]?.text {
      // OAuth 2.0 (RFC 6749, 5.2): the error code and its meaning in this case.
      texts.insert(members["error"]?.text.map { "\($0): \(description)" } ?? description, at: 0)
    }
    texts += ["message", "detail", "title", "errorMessage", "error_message", "msg", "reason", "description"].map {
      members[$0]?.text
    }
    return texts.compactMap(\.self)
  }

  /// Returns the messages in a list, or in an object of fields; nil if there are none.
  private static func details(of tree: JSONTree?) -> String? {
    switch tree {
    case .text: return tree?.text
    case .list(let items): return joined(items.compactMap(detail))
    case .object(let members): return lists(members, takingTexts: true) ?? tree.flatMap(detail)
    case .other, nil: return nil
    }
  }

  /// Returns one error of a list: its message, with the field that it concerns.
  private static func detail(_ tree: JSONTree) -> String? {
    guard case .object(let members) = tree else { return tree.text }
    let words = ["message", "msg", "detail", "title", "description", "reason", "error"].lazy
      .compactMap { members[$0]?.text }.first
    guard let words else { return lists(members) }
    return field(members).map { "\($0): \(words)" } ?? words
  }

  private static func field(_ members: [String: JSONTree]) -> String? {
    if case .object(let source)? = members["source"] {
      // JSON:API 1.1, error objects
      return source["pointer"]?.text ?? source["parameter"]?.text
    }
    if case .list(let path)? = members["loc"] ?? members["path"] {
      let names = path.compactMap(\.text)
      return names.isEmpty ? nil : names.joined(separator: ".")
    }
    return ["field", "property", "param", "parameter", "attribute", "pointer", "path", "name"].lazy
      .compactMap { members[$0]?.text }.first
  }

  /// Returns lists of messages by field, sorted by the field's name.
  private static func lists(_ members: [String: JSONTree], takingTexts: Bool = false) -> String? {
    joined(
      members.sorted { $0.key < $1.key }.compactMap { name, value in
        switch value {
        case .list(let items):
          let texts = items.compactMap(detail)
          return texts.isEmpty ? nil : "\(name): \(texts.joined(separator: ", "))"
        case .text where takingTexts && name != "code" && name != "type": return value.text.map { "\(name): \($0)" }
        case .text, .object, .other: return nil
        }
      })
  }

  private static func joined(_ details: [String]) -> String? {
    details.isEmpty ? nil : details.prefix(mostDetails).joined(separator: "; ")
  }
}

/// A JSON value, reduced to what may contain text for people.
private enum JSONTree: Decodable {
  case text(String)
  case list([JSONTree])
  case object([String: JSONTree])
  /// A number, a boolean, null, or a value that is nested too deeply.
  case other

  /// The maximum depth. Messages are not deeper, but a body may be nested without limit.
  private static let deepest = 6

  init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count < Self.deepest else {
      self = .other
      return
    }
    let value = try decoder.singleValueContainer()
    // Ignored: the kinds are tried one after the other.
    if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let items = try? value.decode([JSONTree].self) {
      self = .list(items)
    } else if let members = try? value.decode([String: JSONTree].self) {
      self = .object(members)
    } else {
      self = .other
    }
  }

  /// The text of the value, if it is a string and not blank.
  var text: String? {
    guard case .text(let text) = self, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text
  }
}
