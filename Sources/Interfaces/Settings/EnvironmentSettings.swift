/// The settings in the daemon's environment: `WAYBILL_STORAGE_MAIN_BUCKET` is `bucket` of `[storage.main]`.
///
/// A variable that no section has asked for is unknown.
final class EnvironmentSettings {
  /// The name that stands for a file in problems with variables.
  static let file = "environment"
  static let prefix = "WAYBILL_"
  /// Variables with the same prefix that are no settings: those of the programs, and of the project's tests.
  private static let others = ["WAYBILL_SOCKET", "WAYBILL_LOG_FORMAT"] + ofDebugBuilds
  #if DEBUG
    private static let ofDebugBuilds = [
      "WAYBILL_FAILPOINT", "WAYBILL_WITHOUT_SYNC", "WAYBILL_FAILING_CALL", "WAYBILL_CALL_TRACE", "WAYBILL_EXTREME",
    ]
  #else
    /// Release builds must not even contain these names.
    private static let ofDebugBuilds: [String] = []
  #endif
  private static let otherPrefixes = ["WAYBILL_PAGE_", "WAYBILL_SANITIZER", "WAYBILL_TEST_", "WAYBILL_WRITE_"]

  /// The variables that may be settings. An empty one counts as not set, because some environments cannot leave a variable out.
  private let variables: [String: String]
  private var asked: Set<String> = []
  /// The keys' whole paths by the variables that set them.
  private(set) var used: [String: String] = [:]

  init(_ environment: [String: String]) {
    variables = environment.filter { name, text in
      name.hasPrefix(Self.prefix) && !text.isEmpty && !Self.others.contains(name)
        && !Self.otherPrefixes.contains { name.hasPrefix($0) }
    }
  }

  /// True if there is a variable of a named section, so that the configuration needs no file.
  var hasSections: Bool {
    variables.keys.contains { name in Self.kinds.contains { name.hasPrefix(Self.prefix + $0 + "_") } }
  }

  private static let kinds = ["STORAGE", "BACKEND", "WEBHOOK", "SPOOL"]

  /// Returns the setting in a variable, or in the file that the variable with `_FILE` at its end names.
  func setting(_ name: String, path: String, problems: Problems) -> Node? {
    asked.insert(name)
    let (text, file) = (variables[name], variables[name + "_FILE"])
    if let text {
      used[name] = path
      if file != nil, used[name + "_FILE"] == nil {
        used[name + "_FILE"] = path
        problems.add(
          ConfigurationProblem(
            file: Self.file, keyPath: name + "_FILE", words: "is set beside \(name)", remedy: "leave one of them out"))
      }
      return Node(Node.Variable(name: name, text: text))
    }
    guard let file else { return nil }
    used[name + "_FILE"] = path
    return Node(Node.Variable(name: name + "_FILE", text: file, isFile: true))
  }

  /// Returns true if there is a variable whose name begins so, and that nothing has asked for yet.
  func hasAny(beginningWith beginning: String) -> Bool {
    variables.keys.contains { $0.hasPrefix(beginning) && used[$0] == nil }
  }

  /// Marks a variable that the configuration names as the source of a secret: it is no setting.
  func use(asSecret name: String) {
    if name.hasPrefix(Self.prefix), used[name] == nil { used[name] = "" }
  }

  /// Returns the names of sections in variables of a kind, without those of known sections: the part up to the next underscore,
  /// in lower case, in the order of the names (numbers as numbers).
  func names(_ kind: String, known: [String]) -> [String] {
    let beginning = Self.beginning(kind)
    var names: Set<String> = []
    for variable in variables.keys where variable.hasPrefix(beginning) {
      let rest = variable.dropFirst(beginning.count)
      guard !known.contains(where: { rest.hasPrefix(Self.word($0) + "_") }), let end = rest.firstIndex(of: "_"),
        end != rest.startIndex
      else { continue }
      names.insert(rest[..<end].lowercased())
    }
    return names.sorted { (Int($0) ?? .max, $0) < (Int($1) ?? .max, $1) }
  }

  func finish(_ problems: Problems) {
    for name in variables.keys.sorted() where used[name] == nil {
      let known = asked.union(asked.map { $0 + "_FILE" }).map { $0.lowercased() }
      let near = EditDistance.nearest(to: name.lowercased(), among: known)
      problems.add(
        ConfigurationProblem(
          file: Self.file, keyPath: name, words: "unknown setting",
          remedy: near.map { "did you mean \($0.uppercased())?" } ?? "the names are in waybill.toml(5), ENVIRONMENT"))
    }
  }

  /// Returns the beginning of the names of the variables of `[kind]` or `[kind.name]`.
  static func beginning(_ words: String...) -> String { prefix + words.map { word($0) + "_" }.joined() }

  /// Returns a name in the form that it has in a variable's name.
  static func word(_ name: String) -> String {
    String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}
