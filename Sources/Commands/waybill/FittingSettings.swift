import CommandParts
import ControlAPI
import Jobs
import ObjectStorage
import Settings

/// `waybill check --probe --write`: the settings that a probe recommends, tried by a second probe and written.
struct FittingSettings {
  let configuration: Configuration
  /// The main file.
  let path: String
  let environment: [String: String]
  /// False if no daemon reads the file.
  var isInUse = true
  private var changes: [Destination: [SettingChange]] = [:]

  init(_ configuration: Configuration, path: String, environment: [String: String]) {
    self.configuration = configuration
    self.path = path
    self.environment = environment
  }

  /// Takes the changes of a storage's findings. Of two for the same key, that of a fault counts, then the first.
  mutating func add(_ findings: [ProbeFinding], of destination: Destination) {
    let all = Self.chosen(of: findings)
    if !all.isEmpty { changes[destination] = all }
  }

  /// Returns the changes of a storage's findings that fit together.
  static func chosen(of findings: [ProbeFinding]) -> [SettingChange] {
    var all: [SettingChange] = []
    for weight in [ProbeFinding.Weight.fault, .advice, .fits] {
      for finding in findings where finding.weight == weight {
        // The changes of one finding belong together.
        if finding.changes.allSatisfy({ change in !all.contains { $0.key == change.key } }) { all += finding.changes }
      }
    }
    return all
  }

  /// Tries the changes of each storage, and writes those with which it has no fault.
  ///
  /// - Parameter report: shows the findings of the second probe.
  /// - Returns: the storages that were changed.
  /// - Throws: the errors of ``Probe``.
  func write(report: (Destination, [ProbeFinding]) -> Void) async throws -> Set<Destination> {
    if changes.isEmpty, isInUse { Output.line("there is nothing to change in \(DisplayText.escape(path))") }
    var written: Set<Destination> = []
    for (destination, changes) in changes.sorted(by: { $0.key < $1.key }) {
      do {
        try await write(changes, of: destination, report)
        written.insert(destination)
      } catch let problem as ConfigurationProblem {
        Output.plainError(problem.description)
      } catch let error as ConfigurationError {
        for problem in error.problems { Output.plainError(problem.description) }
      }
    }
    return written
  }

  private func write(
    _ changes: [SettingChange], of destination: Destination, _ report: (Destination, [ProbeFinding]) -> Void
  ) async throws {
    let edit = try ConfigurationEdit(
      changes.map { ConfigurationEdit.Change(section: destination.text, key: $0.key, value: $0.value) },
      of: configuration)
    let changed = try edit.configuration(path: path, environment: environment)
    Output.line("\(destination) once more, with \(changes.lines):")
    var hasFault = false
    try await Probe(changed, environment: environment).run(
      version: WaybillVersion.current, storages: [destination.name]
    ) {
      report($0, $1)
      hasFault = hasFault || $1.contains { $0.weight == .fault }
    }
    guard !hasFault else {
      throw configuration.problem(destination.text, "was not changed, since it has faults with \(changes.lines) too")
    }
    try edit.write()
    for change in changes {
      Output.line(
        "\(destination): \(change.line) (was \(change.was)), because \(DisplayText.escape(change.reason))")
    }
    guard isInUse else { return }
    Output.line("wrote \(edit.paths.map(DisplayText.escape).joined(separator: ", ")); waybill reload makes it count")
  }
}
