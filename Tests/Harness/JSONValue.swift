import Foundation

/// JSON as a value, read by path. What is not there is `null`.
@dynamicMemberLookup
enum JSONValue: Hashable, Sendable, Encodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Reads JSON, not by `JSONDecoder`: that asks each value for each type in turn, by errors, and an error in a test is dear.
  init(parsing text: String) throws {
    // It takes U+FEFF at the beginning of a string for a mark that is no part of it, unless it is escaped.
    let escaped = text.replacingOccurrences(of: "\u{FEFF}", with: "\\uFEFF")
    self.init(try JSONSerialization.jsonObject(with: Data(escaped.utf8), options: .fragmentsAllowed))
  }

  private init(_ value: Any) {
    switch value {
    case let string as String: self = .string(string)
    case let object as [String: Any]: self = .object(object.mapValues { JSONValue($0) })
    case let array as [Any]: self = .array(array.map { JSONValue($0) })
    case let number as NSNumber:
      // The type of a number is "c" for a truth value alone.
      let isTruth = unsafe number.objCType.pointee == CChar(UInt8(ascii: "c"))
      self = isTruth ? .bool(number.boolValue) : .number(number.doubleValue)
    default: self = .null
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }

  subscript(dynamicMember name: String) -> JSONValue { self[name] }

  subscript(name: String) -> JSONValue {
    if case .object(let object) = self { object[name] ?? .null } else { .null }
  }

  func has(_ name: String) -> Bool { if case .object(let object) = self { object[name] != nil } else { false } }

  var string: String? { if case .string(let string) = self { string } else { nil } }
  var int: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
  var array: [JSONValue] { if case .array(let array) = self { array } else { [] } }
  var members: [String: JSONValue] { if case .object(let object) = self { object } else { [:] } }
  var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
  init(nilLiteral: ()) { self = .null }
}

extension JSONValue: CustomStringConvertible {
  var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
  }
}
