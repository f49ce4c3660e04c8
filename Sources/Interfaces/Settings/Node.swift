import TOML

/// A value of a configuration file or of a variable.
struct Node {
  struct Variable {
    let name: String
    let text: String
    /// True if the text is the path of the file that has the value.
    var isFile = false
  }

  /// The table of a section that only variables set.
  static let ofVariables = Node(value: .table([:]), variable: Variable(name: "", text: ""))

  private let value: TOMLNode.Value
  /// The line, counted from 1; nil if the value is not from a file.
  private(set) var line: Int?
  /// The variable that the value comes from; nil for a value from a file.
  private(set) var variable: Variable?

  /// The text of a string, or of any value from a variable; nil for other values.
  var text: String? {
    if variable?.isFile == true { return nil }
    if case .string(let text) = value { return text }
    return variable?.text
  }

  var table: [String: Node]? { if case .table(let table) = value { table.mapValues(Node.init) } else { nil } }

  var array: [Node]? { if case .array(let elements) = value { elements.map(Node.init) } else { nil } }

  var integer: Int? { if case .integer(let number) = value { number } else { nil } }

  /// A string, a finite number, true or false as a value of JSON; nil for other values.
  var leaf: FieldValue<String>? {
    switch value {
    case .string(let text): .text(text)
    case .integer(let number): .constant("\(number)")
    case .float(let number): number.isFinite ? .constant("\(number)") : nil
    case .boolean(let flag): .constant("\(flag)")
    case .table, .array, .date: nil
    }
  }

  /// The number of an integer or a float; nil for other values.
  var number: Double? { if case .float(let number) = value { number } else { integer.map(Double.init) } }
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

extension Node {
  init(_ node: TOMLNode) { self.init(value: node.value, line: node.line) }

  init(_ text: String) { self.init(value: .string(text)) }

  /// Creates the value of a variable: that of TOML if its text is a number, a boolean, an array, a table or in quotes; otherwise the
  /// text.
  init(_ variable: Variable) {
    let text = variable.text
    var value = TOMLNode.Value.string(text)
    // Ignored: a text that is no value of TOML stands for itself.
    if !variable.isFile, !text.contains("\n"), let read = try? TOMLDocument(Array("value = \(text)".utf8)),
      read.root.count == 1, let node = read.root["value"]
    {
      if case .date = node.value {} else { value = node.value }
    }
    self.init(value: value, variable: variable)
  }
}
