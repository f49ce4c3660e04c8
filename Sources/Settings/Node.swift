/// A value of a configuration file, with the line it stands on.
struct Node {
  /// TOML's types, as far as the configuration tells them apart (toml.io/en/v1.0.0).
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
  /// Counts from 1; nil where the source text did not yield it.
  var line: Int?

  /// The value as an error names it: `the string "32"`.
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

  /// The type alone, where the value may be a secret that someone put in the wrong place.
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
