/// The lines of the keys of a TOML text. The parser does not give them, so the text is read once more.
///
/// The reading assumes valid TOML: it happens only after the parser has accepted the text.
struct LineIndex {
  /// A step on the way to a value: into a table or into an array.
  enum Step: Hashable {
    case key(String)
    case index(Int)
  }

  private var lines: [[Step]: Int] = [:]
  private var text: TOMLText
  /// The number of elements that each array of tables has so far.
  private var counts: [[Step]: Int] = [:]

  init(_ source: [UInt8]) {
    text = TOMLText(source)
    walk()
  }

  /// The line of the key or element at the end of that path, counted from 1.
  subscript(path: [Step]) -> Int? { lines[path] }

  private mutating func walk() {
    var table: [Step] = []
    while text.skipToStatement() {
      if text.skip("[") {
        let isArray = text.skip("[")
        let line = text.line
        let keys = text.keys()
        table = enter(keys, appending: isArray, line: line)
        _ = text.skip("]")
        if isArray { _ = text.skip("]") }
      } else {
        pair(in: table)
      }
    }
  }

  /// Resolves a header's keys: on the way, an array of tables means its last element (TOML 1.0, array of tables).
  private mutating func enter(_ keys: [String], appending: Bool, line: Int) -> [Step] {
    var path: [Step] = []
    for (position, key) in keys.enumerated() {
      path.append(.key(key))
      record(path, line)
      if appending && position == keys.count - 1 {
        counts[path, default: 0] += 1
      }
      if let count = counts[path] {
        path.append(.index(count - 1))
        record(path, line)
      }
    }
    // A table that first appeared as another's parent gets the line of its own header.
    if !appending { lines[path] = line }
    return path
  }

  private mutating func pair(in table: [Step]) {
    let line = text.line
    var path = table
    for key in text.keys() {
      path.append(.key(key))
      record(path, line)
    }
    guard text.skip("=") else {
      text.skipLine()
      return
    }
    value(at: path)
  }

  private mutating func value(at path: [Step]) {
    text.skipBlanks()
    if text.skip("[") {
      var index = 0
      while text.skipToStatement(), !text.skip("]") {
        let element = path + [.index(index)]
        record(element, text.line)
        value(at: element)
        _ = text.skipToStatement()
        _ = text.skip(",")
        index += 1
      }
    } else if text.skip("{") {
      while text.skipToStatement(), !text.skip("}") {
        pair(in: path)
        _ = text.skipToStatement()
        _ = text.skip(",")
      }
    } else {
      text.skipScalar()
    }
  }

  private mutating func record(_ path: [Step], _ line: Int) {
    if lines[path] == nil { lines[path] = line }
  }
}
