struct NamedSections {
  /// The kinds of sections of which the main file has at most one.
  private static let singleKinds = ["daemon", "retry"]
  private static let namedKinds = ["storage", "backend", "webhook"]

  private var single: [String: Section] = [:]
  private var named: [String: [String: Section]] = [:]
  /// The spools in their order; the name is nil if it is wrong or missing.
  private(set) var spools: [(name: String?, section: Section)] = []

  subscript(_ kind: String) -> [String: Section] { named[kind] ?? [:] }

  /// Adds the sections of one file. The files of the folder may have only storages, backends, webhooks and spools.
  mutating func add(_ document: Document, isMain: Bool, problems: Problems) {
    var root = Section(file: document.file, path: "", line: nil, table: document.root, problems: problems)
    for key in Self.singleKinds {
      guard let section = root.section(key, example: "[\(key)]") else { continue }
      if isMain {
        single[key] = section
      } else {
        root.problem(key, "may not be set in the folder", "move it to the main file")
      }
    }
    for kind in Self.namedKinds { addNamed(kind, of: &root) }
    addSpools(&root)
    root.finish()
  }

  /// Adds the sections that only variables have. Their names have no underscore, because the end of such a name would not be
  /// known.
  mutating func addMissing(_ problems: Problems) {
    let environment = problems.credentials.settings
    for kind in Self.namedKinds {
      for name in environment.names(EnvironmentSettings.word(kind), known: Array(self[kind].keys)) {
        named[kind, default: [:]][name] = Section(
          file: EnvironmentSettings.file, path: "\(kind).\(name)", line: nil, table: [:], problems: problems,
          beginnings: [EnvironmentSettings.beginning(kind, name)])
      }
    }
    let known = spools.compactMap(\.name) + (1...(spools.count + 1)).dropLast().map(String.init)
    for name in environment.names("SPOOL", known: known) {
      let isNumber = name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      addSpool(
        file: EnvironmentSettings.file, line: nil,
        table: isNumber ? [:] : ["name": Node(name)],
        problems, name)
    }
  }

  private mutating func addNamed(_ kind: String, of root: inout Section) {
    guard let all = root.section(kind, example: "[\(kind).main]") else { return }
    for (name, node) in all.table {
      guard let table = node.table else {
        all.problem(name, "is \(node.shownType) outside of a named \(kind)", "put it below a line [\(kind).main]")
        continue
      }
      guard NameText.isValid(name) else {
        all.problem(name, "is not a valid \(kind) name", NameText.rule)
        continue
      }
      if let other = self[kind][name] {
        all.problem(name, "is defined already, in \(other.fileAndLine)", "give one of them another name")
        continue
      }
      named[kind, default: [:]][name] = Section(
        file: all.file, path: all.keyPath(name), line: node.line, table: table, problems: all.problems,
        beginnings: [EnvironmentSettings.beginning(kind, name)])
    }
  }

  private mutating func addSpools(_ root: inout Section) {
    guard let node = root.node("spool") else { return }
    guard let nodes = node.array else {
      root.problem("spool", "is \(node.shown) where an array of tables belongs", "write it like [[spool]]")
      return
    }
    for node in nodes {
      guard let table = node.table else {
        root.problem(
          "spool", "has \(node.shown) in it where a table belongs", "write it like [[spool]]", line: node.line)
        continue
      }
      addSpool(file: root.file, line: node.line, table: table, root.problems, "\(spools.count + 1)")
    }
  }

  /// - Parameter word: the number or the name that the names of its variables have.
  private mutating func addSpool(
    file: String, line: Int?, table: [String: Node], _ problems: Problems, _ word: String
  ) {
    func section(_ path: String, _ words: String...) -> Section {
      Section(
        file: file, path: path, line: line, table: table, problems: problems,
        beginnings: words.map { EnvironmentSettings.beginning("spool", $0) })
    }
    var own = section("spool[\(spools.count + 1)]", word)
    var name = Self.name(of: &own)
    if let given = name {
      own = section("spool.\(given)", word, given)
      if let other = spools.first(where: { $0.name == given })?.section {
        own.problem(
          "name", "there is another spool of this name, in \(other.fileAndLine)", "give one of them another name")
        name = nil
      }
    }
    spools.append((name, own))
  }

  /// Returns the name of a spool: the one that is set, else the last component of its path.
  private static func name(of section: inout Section) -> String? {
    if section.has("name") {
      guard let name = section.requiredText("name", example: "\"documents\"") else { return nil }
      guard NameText.isValid(name) else {
        return section.refuse("name", "\(quoted(name)) is not a valid spool name", NameText.rule)
      }
      return name
    }
    guard let path = section.node("path")?.text, path.hasPrefix("/"),
      let last = PlainPath.of(path)?.split(separator: "/").last
    else { return nil }
    guard NameText.isValid(String(last)) else {
      return section.refuse(
        "name", "missing, and \(quoted(String(last))) is not a valid spool name",
        "add a line like name = \"documents\"")
    }
    return String(last)
  }

  /// Returns a section of which there is one; an empty one if no file has it.
  func one(_ name: String, main: String, _ problems: Problems) -> Section {
    var section = single[name] ?? Section(file: main, path: name, line: nil, table: [:], problems: problems)
    section.beginnings = [EnvironmentSettings.beginning(name)]
    return section
  }

  func requireOneOfEach(main: String, _ problems: Problems) {
    let all = [
      ("storage", self["storage"].isEmpty, "[storage.main] with endpoint, bucket and keys"),
      ("backend", self["backend"].isEmpty, "[backend.main] with url"), ("spool", spools.isEmpty, "[[spool]] with path"),
    ]
    for (kind, isMissing, example) in all where isMissing {
      problems.add(
        ConfigurationProblem(file: main, words: "no \(kind) is configured", remedy: "add \(example)"))
    }
  }
}
