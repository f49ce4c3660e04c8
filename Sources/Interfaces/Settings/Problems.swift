/// Collects the problems while a configuration is read, so that all of them can be reported at once.
final class Problems {
  let credentials: CredentialCheck
  private(set) var found: [ConfigurationProblem] = []
  /// The order in which files were read.
  private var files: [String] = []

  /// - Parameter credentials: nil to check only the text of keys.
  init(_ credentials: CredentialCheck? = nil) {
    self.credentials = credentials ?? CredentialCheck(environment: [:], reads: false)
  }

  var isEmpty: Bool { found.isEmpty }

  func add(file: String) {
    if !files.contains(file) { files.append(file) }
  }

  func add(_ problem: ConfigurationProblem) {
    add(file: problem.file)
    found.append(problem)
  }

  func has(file: String, keyPath: String) -> Bool {
    found.contains { $0.file == file && $0.keyPath == keyPath }
  }

  /// Throws the problems found, in the order of files and lines; problems of a whole file come after those of its lines.
  func throwIfAny() throws(ConfigurationError) {
    guard !isEmpty else { return }
    let order = found.enumerated().sorted { one, other in
      place(one.element, one.offset) < place(other.element, other.offset)
    }
    throw ConfigurationError(problems: order.map(\.element))
  }

  private func place(_ problem: ConfigurationProblem, _ offset: Int) -> (Int, Int, String, Int) {
    (files.firstIndex(of: problem.file) ?? .max, problem.line ?? .max, problem.keyPath ?? "", offset)
  }
}
