/// A value of JSON, as ``JSONReader`` reads it.
package enum JSONNode: Sendable {
  case null
  case flag(Bool)
  /// A number as it is written.
  case number(String)
  case text(String)
  case array([JSONNode])
  case object(JSONObject)

  package func text() throws(JSONFault) -> String {
    guard case .text(let text) = self else { throw another("text") }
    return text
  }

  /// Returns the number, which has to be whole and in 64 bits. It may be written as `5.0` or `5e0` (JSON Schema, section 6.1.1 of
  /// its validation).
  package func integer() throws(JSONFault) -> Int64 {
    guard case .number(let digits) = self else { throw another("whole number") }
    if let number = Int64(digits) { return number }
    // Beyond 2^53 a Double does not have each number.
    guard let double = Double(digits), double.magnitude < 0x1p53, let number = Int64(exactly: double) else {
      throw another("whole number")
    }
    return number
  }

  /// Returns the number, rounded to 64 bits, which has to have room for it.
  package func double() throws(JSONFault) -> Double {
    guard case .number(let digits) = self, let number = Double(digits), number.isFinite else { throw another("number") }
    return number
  }

  package func flag() throws(JSONFault) -> Bool {
    guard case .flag(let flag) = self else { throw another("true or false") }
    return flag
  }

  package func array() throws(JSONFault) -> [JSONNode] {
    guard case .array(let elements) = self else { throw another("array") }
    return elements
  }

  package func object() throws(JSONFault) -> JSONObject {
    guard case .object(let object) = self else { throw another("object") }
    return object
  }

  /// Returns the error for a value of another form than the expected one.
  package func another(_ form: String) -> JSONFault {
    let shown =
      switch self {
      case .null: "null"
      case .flag(let flag): "\(flag)"
      case .number(let digits): String(digits.prefix(80))
      case .text(let text): JSONText.quoted(String(text.prefix(80)))
      case .array: "an array"
      case .object: "an object"
      }
    return JSONFault(words: "\(shown) stands in the place of a value of another form (\(form))")
  }
}

/// An object of JSON: its members, in the order of the text.
package struct JSONObject: Sendable {
  package struct Member: Sendable {
    package let name: String
    package let value: JSONNode
  }

  /// The members; their names are unique.
  package private(set) var members: [Member] = []
  private var next = 0

  init() {}

  mutating func append(_ name: String, _ value: JSONNode) { members.append(Member(name: name, value: value)) }

  /// Returns a member; nil if it is null, or not there. Members are found at once if they are asked for in the order of the text.
  package mutating func optional(_ name: String) -> JSONNode? {
    if next >= members.count || members[next].name != name {
      guard let place = members.firstIndex(where: { $0.name == name }) else { return nil }
      next = place
    }
    defer { next += 1 }
    if case .null = members[next].value { return nil }
    return members[next].value
  }

  package mutating func member(_ name: String) throws(JSONFault) -> JSONNode {
    guard let value = optional(name) else { throw JSONFault(words: "there is no \(name)") }
    return value
  }
}

/// The reason why a text is not JSON, or not the expected JSON.
package struct JSONFault: Error, Hashable {
  /// The reason, with line and column if it is not JSON.
  package let words: String

  package init(words: String) { self.words = words }
}
