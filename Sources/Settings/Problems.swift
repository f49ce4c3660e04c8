/// Collects what is wrong while a configuration is read, so that all of it can be told at once.
final class Problems {
  private(set) var found: [ConfigurationProblem] = []
  /// The order in which files were read.
  private var files: [String] = []

  var isEmpty: Bool { found.isEmpty }

  func note(file: String) {
    if !files.contains(file) { files.append(file) }
  }

  func add(_ problem: ConfigurationProblem) {
    note(file: problem.file)
    found.append(problem)
  }

  /// Whether something was already found to be wrong with that key.
  func has(file: String, keyPath: String) -> Bool {
    found.contains { $0.file == file && $0.keyPath == keyPath }
  }

  /// Throws what was found, in the order of files and lines; what concerns a whole file comes last for it.
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
