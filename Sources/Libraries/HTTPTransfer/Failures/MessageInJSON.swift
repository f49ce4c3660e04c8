import Messages

/// Finds the message in a JSON body, in the forms that backends commonly use.
///
/// The headline is the first text of `error` (or its members), `message`, `detail`, `title` (RFC 9457) and less common names. A
/// headline that only repeats the status's reason phrase is used only if there is no other. The details are what `errors`, or a list
/// or an object in place of the headline, or lists by field (`{"invoice":["is taken"]}`) say, in one line. Both together give
/// `HEADLINE (DETAILS)`.
enum MessageInJSON {
  /// The maximum number of details.
  private static let mostDetails = 8
  /// The names of a message, the best ones first.
  private static let names = [
    "message", "detail", "title", "errorMessage", "error_message", "msg", "reason", "description",
  ]

  static func find(in body: [UInt8], status: Int?) -> String? {
    // Ignored: a truncated or malformed body simply has no message.
    guard let value = try? JSONReader.answer(body) else { return nil }
    guard let members = value.members else { return line(value, "; ") }
    let phrase = status.flatMap(ReasonPhrase.of)
    let headlines = headlines(of: members)
    let headline = headlines.first { $0 != phrase } ?? headlines.first
    var details = (members["errors"] ?? members["error"]?.members?["errors"]).flatMap { line($0, "; ") }
    if headline == nil, details == nil {
      details = ["error", "message", "detail"].lazy.compactMap { members[$0] }.compactMap { line($0, "; ") }.first
      if details == nil { details = lines(of: members.filter { $0.value.isList }, "; ") }
    }
    switch (headline, details) {
    case (let headline?, let details?):
      return headline == phrase || headline == details ? details : "\(headline) (\(details))"
    default: return headline ?? details
    }
  }

  private static func headlines(of members: [String: JSONNode]) -> [String] {
    var texts = [members["error"]?.words]
    if let error = members["error"]?.members { texts += [error["message"]?.words, error["detail"]?.words] }
    if let description = members["error_description"]?.words {
      // OAuth 2.0 (RFC 6749, 5.2): the error code and its meaning in this case.
      texts.insert(members["error"]?.words.map { "\($0): \(description)" } ?? description, at: 0)
    }
    return (texts + names.map { members[$0]?.words }).compactMap(\.self)
  }

  /// Returns all texts of a value in one line, the message of an object first: `is taken (field: number)`. Nil if there are none.
  private static func line(_ value: JSONNode, _ separator: String) -> String? {
    switch value {
    case .array(let items): return joined(items.compactMap { line($0, ", ") }, separator)
    case .object:
      var members = value.members ?? [:]
      let name = names.first { members[$0]?.words != nil }
      guard let name, let said = members.removeValue(forKey: name)?.words else { return lines(of: members, separator) }
      return lines(of: members, ", ").map { "\(said) (\($0))" } ?? said
    default: return value.words
    }
  }

  /// Returns the texts of members with their names, sorted by them.
  private static func lines(of members: [String: JSONNode], _ separator: String) -> String? {
    joined(
      members.sorted { $0.key < $1.key }.compactMap { name, value in line(value, ", ").map { "\(name): \($0)" } },
      separator)
  }

  private static func joined(_ details: [String], _ separator: String) -> String? {
    details.isEmpty ? nil : details.prefix(mostDetails).joined(separator: separator)
  }
}

extension JSONNode {
  /// The members, if it is an object.
  fileprivate var members: [String: JSONNode]? {
    guard case .object(let object) = self else { return nil }
    return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  fileprivate var isList: Bool { if case .array = self { true } else { false } }

  /// The text of the value, if it is a string and not blank.
  fileprivate var words: String? {
    guard case .text(let text) = self, !text.allSatisfy(\.isWhitespace) else { return nil }
    return text
  }
}
