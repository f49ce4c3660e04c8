/// The faults that toml++ 3 does not detect, or reports in terms of its own source code.
///
/// They were found by fuzzing. For every other fault, toml++ has an error text for people.
enum TOMLFault: Error {
  /// A table's header with neither a key nor a `]` after its `[`, such as `[.spool]` or `[[[spool]]]`.
  case headerWithoutKey(line: Int)
  /// A closing bracket of another kind than the last opening one, such as `[1, }`.
  case wrongBracket(line: Int)
  /// A character that is allowed only in strings and comments, such as a no-break space before a value.
  case strayCharacter(line: Int)
  /// A value with a colon that is not a time, such as `1979-05-27T:`.
  case wrongTime(line: Int)
  /// A key with too many parts between dots.
  case deepKey(line: Int)

  /// Finds the first such fault in a text that is not yet parsed; nil for every text that is valid TOML.
  init?(_ source: [UInt8]) {
    var text = TOMLText(source)
    while text.skipToStatement() {
      guard text.skip("[") else {
        do throws(TOMLFault) {
          try text.skipPair()
          continue
        } catch {
          self = error
          return
        }
      }
      let line = text.line
      _ = text.skip("[")
      text.skipBlanks()
      guard text.isAtKey || text.skip("]") || text.isAtEnd else {
        self = .headerWithoutKey(line: line)
        return
      }
      guard text.skipKey() <= TOMLText.mostParts else {
        self = .deepKey(line: line)
        return
      }
      text.skipLine()
    }
    return nil
  }

  /// The error text with the remedy.
  var fault: TOMLDocument.Fault {
    switch self {
    case .headerWithoutKey(let line):
      TOMLDocument.Fault(
        "a [ at the start of a line without a name after it", line: line,
        remedy: "a table begins like [storage.main], a spool like [[spool]]")
    case .wrongBracket(let line):
      TOMLDocument.Fault(
        "a closing bracket without an opening one", line: line,
        remedy: "a list is written in [ ], a table within a line in { }")
    case .strayCharacter(let line):
      TOMLDocument.Fault(
        "a character outside of quotes that is not ASCII, or a control character", line: line,
        remedy: "it may be invisible: type the line again, with text in quotes")
    case .wrongTime(let line):
      TOMLDocument.Fault(
        "a value with a colon that is not a time", line: line, remedy: "put text and durations in quotes")
    case .deepKey(let line):
      TOMLDocument.Fault(
        "a key of more than \(TOMLText.mostParts) parts", line: line,
        remedy: "the dots between the parts of a name stand for tables: put text in quotes")
    }
  }
}
