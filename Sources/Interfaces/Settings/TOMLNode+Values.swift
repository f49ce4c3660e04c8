import TOML

/// The values of a configuration file, by the types that keys want.
extension TOMLNode {
  /// The text of a string; nil for other values.
  var text: String? { if case .string(let text) = value { text } else { nil } }

  /// The entries of a table; nil for other values.
  var table: [String: TOMLNode]? { if case .table(let table) = value { table } else { nil } }

  /// The elements of an array; nil for other values.
  var array: [TOMLNode]? { if case .array(let elements) = value { elements } else { nil } }

  /// The number of an integer; nil for other values.
  var integer: Int? { if case .integer(let number) = value { number } else { nil } }

  /// The value of a boolean; nil for other values.
  var flag: Bool? { if case .boolean(let flag) = value { flag } else { nil } }

  /// The value in the words of an error: `the string "32"`.
  var shown: String {
    switch value {
    case .table: "a table"
    case .array: "an array"
    case .string(let text): "the string \(quoted(text))"
    case .integer(let number): "the integer \(number)"
    case .float(let number): "the number \(number)"
    case .boolean(let flag): "the boolean \(flag)"
    case .date(let text): "the date \(text)"
    }
  }

  /// Only the type, for a value that may be a secret in the wrong place.
  var shownType: String {
    switch value {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a number"
    case .boolean: "a boolean"
    case .table, .array: shown
    case .date: "a date"
    }
  }
}
