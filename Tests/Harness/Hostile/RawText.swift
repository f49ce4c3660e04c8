import ChildProcesses
import Testing

/// What a terminal obeys instead of showing it: what moves a cursor, ends a line or turns the writing round.
enum RawText {
  /// Such characters of a text; the end of a line is for whoever splits it into lines.
  static func found(in text: some StringProtocol) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
  }

  /// Such characters in the strings of a JSON value, however deep.
  static func found(in value: JSONValue) -> [Unicode.Scalar] {
    switch value {
    case .string(let text): found(in: text)
    case .array(let elements): elements.flatMap { found(in: $0) }
    case .object(let members): members.flatMap { found(in: $0.key) + found(in: $0.value) }
    case .null, .bool, .number: []
    }
  }

  static func expectNone(_ text: String, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
    for line in text.split(separator: "\n") where !found(in: line).isEmpty {
      Issue.record("\(what): \(line.debugDescription)", sourceLocation: sourceLocation)
    }
  }

  static func expectNone(_ command: Command, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
    // 1 is that of "waybill status" while something waits for a person.
    #expect((0...1).contains(command.status), "\(what): \(command.errors)", sourceLocation: sourceLocation)
    expectNone(command.output + command.errors, what, sourceLocation: sourceLocation)
  }
}
