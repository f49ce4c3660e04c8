/// One table of a configuration while it is read. A key that the reading code asks for becomes known; a key that nothing asks for
/// is an unknown key.
struct Section {
  let file: String
  /// The path of the table, e.g. `storage.main`; empty for the whole file.
  let path: String
  let line: Int?
  private(set) var table: [String: Node]
  let problems: Problems
  /// The beginnings of the names of the variables that set its keys, which override the file; none for a table that variables cannot
  /// set. A spool has two: one with its number, and one with its name.
  var beginnings: [String] = []
  /// The names of parts of file names that its templates may have as placeholders, in their order.
  var captures: [String] = []
  private(set) var known: Set<String> = []

  var keyCheck: CredentialCheck { problems.credentials }

  /// Returns the value of a key, and marks the key as known.
  mutating func node(_ key: String) -> Node? {
    if known.insert(key).inserted {
      for beginning in beginnings {
        let name = beginning + EnvironmentSettings.word(key)
        guard let setting = keyCheck.settings.setting(name, path: keyPath(key), problems: problems) else { continue }
        table[key] = setting
        break
      }
    }
    return table[key]
  }

  mutating func has(_ key: String) -> Bool { node(key) != nil }

  var fileAndLine: String { file + (line.map { ":\($0)" } ?? "") }

  func keyPath(_ key: String) -> String { (path.isEmpty ? "" : path + ".") + shownKey(key) }

  /// The file and the key, or the environment and the variable, that have the value of a key.
  private func place(_ key: String) -> (file: String, keyPath: String) {
    table[key]?.variable.map { (EnvironmentSettings.file, $0.name) } ?? (file, keyPath(key))
  }

  func problem(_ key: String, _ words: String, _ remedy: String? = nil, line: Int? = nil, mayPass: Bool = false) {
    let (file, keyPath) = place(key)
    let line = table[key]?.variable == nil ? line ?? table[key]?.line ?? self.line : nil
    problems.add(
      ConfigurationProblem(
        file: file, line: line, keyPath: keyPath, words: words, remedy: remedy, mayPass: mayPass))
  }

  /// Reports a problem with a key, which therefore has no value.
  func refuse<Value>(
    _ key: String, _ words: String, _ remedy: String? = nil, line: Int? = nil, mayPass: Bool = false
  ) -> Value? {
    problem(key, words, remedy, line: line, mayPass: mayPass)
    return nil
  }

  func hasProblem(_ key: String) -> Bool {
    let (file, keyPath) = place(key)
    return problems.has(file: file, keyPath: keyPath)
  }

  func wrongType(_ key: String, _ node: Node, _ wanted: String, example: String) {
    if node.variable?.isFile == true {
      return problem(
        key, "names a file where \(wanted) belongs", "only keys, tokens and secrets can be in a file of their own")
    }
    problem(key, "is \(node.shown) where \(wanted) belongs", "write it like \(example)", line: node.line)
  }

  func missing(_ key: String, example: String) {
    if file == EnvironmentSettings.file, let beginning = beginnings.first {
      return problem(key, "missing", "set \(beginning)\(EnvironmentSettings.word(key)), e.g. to \(example)")
    }
    problem(key, "missing", "add a line like \(key) = \(example)")
  }

  /// Reports every key that nothing asked for. Must be the last call on a section.
  func finish() {
    for key in table.keys where !known.contains(key) {
      let near = EditDistance.nearest(to: key, among: known).map { "did you mean \(quoted($0))?" }
      problem(key, "unknown key", near ?? "the keys here are \(known.sorted().joined(separator: ", "))")
    }
  }
}
