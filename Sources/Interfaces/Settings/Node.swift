import TOML

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

  /// An environment variable that a value comes from.
  struct Variable {
    let name: String
    /// The whole text; nil if the variable names a file with the value.
    let text: String?
  }

  var value: Value
  /// The line, counted from 1; nil if the value is not from a file.
  var line: Int?

  /// The variable that the value comes from; nil for a value from a file.
  var variable: Variable?

  /// The text of a string, or of any value from a variable; nil for other values.
  var text: String? {
    if case .string(let text) = value { return text }
    return variable?.text
  }

  /// The number of an integer; nil for other values.
  var integer: Int? { if case .integer(let number) = value { number } else { nil } }

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

extension Node {
  init(_ node: TOMLNode) {
    let value: Value =
      switch node.value {
      case .table(let table): .table(table.mapValues(Node.init))
      case .array(let elements): .array(elements.map(Node.init))
      case .string(let text): .string(text)
      case .integer(let number): .integer(number)
      case .float(let number): .float(number)
      case .boolean(let flag): .boolean(flag)
      case .date(let text): .date(text)
      }
    self.init(value: value, line: node.line)
  }
}
