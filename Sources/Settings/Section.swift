/// One table of a configuration while it is read: each key that is asked for is known, and any key left over is unknown.
struct Section {
  let file: String
  /// The path of the table, e.g. `storage.main`; empty for the whole file.
  let path: String
  let line: Int?
  let table: [String: Node]
  let problems: Problems
  private var known: Set<String> = []

  init(file: String, path: String, line: Int?, table: [String: Node], problems: Problems) {
    self.file = file
    self.path = path
    self.line = line
    self.table = table
    self.problems = problems
  }

  /// Returns the value of a key, and marks the key as known.
  mutating func node(_ key: String) -> Node? {
    known.insert(key)
    return table[key]
  }

  func keyPath(_ key: String) -> String { (path.isEmpty ? "" : path + ".") + KeyText.shown(key) }

  /// Notes a problem with a key.
  func problem(_ key: String, _ words: String, _ remedy: String? = nil, line: Int? = nil) {
    let place = line ?? table[key]?.line ?? self.line
    problems.add(
      ConfigurationProblem(file: file, line: place, keyPath: keyPath(key), words: words, remedy: remedy))
  }

  func hasProblem(_ key: String) -> Bool { problems.has(file: file, keyPath: keyPath(key)) }

  /// Notes that a key has a value of a wrong type.
  func wrongType(_ key: String, _ node: Node, _ wanted: String, example: String) {
    problem(key, "is \(node.shown) where \(wanted) belongs", "write it like \(example)", line: node.line)
  }

  /// Notes that a required key is missing.
  func missing(_ key: String, example: String) {
    problem(key, "missing", "add a line like \(key) = \(example)")
  }

  /// Notes every key that nothing asked for. The last call on a section.
  func finish() {
    for (key, node) in table where !known.contains(key) {
      let near = EditDistance.nearest(to: key, among: known)
      let remedy = near.map { "did you mean \(Quoted($0))?" }
      problem(
        key, "unknown key", remedy ?? "the keys here are \(known.sorted().joined(separator: ", "))", line: node.line)
    }
  }
}

/// The written form of a key on a path.
enum KeyText {
  /// Returns the key unchanged if TOML accepts it bare, else in quotes.
  static func shown(_ key: String) -> String {
    let bare = key.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return bare && !key.isEmpty ? key : Quoted(key).description
  }
}
