import FoundationEssentials

/// Any JSON value: enough to tell whether a body is JSON at all, and to find a member of it.
enum JSONValue: Sendable, Equatable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // Try one form after the other: the type of a JSON value shows only in which of them can be read.
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

  subscript(text name: String) -> String? { if case .text(let text) = self[name] { text } else { nil } }

  subscript(int name: String) -> Int64? {
    if case .number(let number) = self[name] { Int64(exactly: number) } else { nil }
  }
}
