/// A value of a configuration file, with its line.
struct Node {
  /// TOML's types, as far as the configuration distinguishes them (toml.io/en/v1.0.0).
  indirect enum Value {
    case table([String: Node])
    case array([Node])
    case string(String)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case date(String)
  }

  var value: Value
  /// The line, counted from 1; nil if the source text did not show it.
  var line: Int?

  /// The value in the words of an error: `the string "32"`.
  var shown: String {
    switch value {
    case .table: "a table"
    case .array: "an array"
    case .string(let text): "the string \(Quoted(text))"
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
