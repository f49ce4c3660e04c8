import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux

/// Finds the jobs that arguments name: by number, id, `HOST:NUMBER`, or the name or path of the file.
struct JobFinder {
  /// The most jobs of one name that are listed.
  private static let mostListed = 20

  let client: ControlClient

  /// Returns the jobs whose file an argument names, the last one first.
  ///
  /// Jobs whose file has exactly this name go before those whose file's name only contains it.
  /// - Parameter states: the states that matter; nil for all.
  private func jobs(_ argument: String, in states: Set<JobState>?) async throws -> [JobMessage] {
    let bytes = ProgramArguments.bytes(of: argument)
    var filter = JobFilter()
    filter.states = states ?? []
    if bytes.contains(UInt8(ascii: "/")) || String(validating: bytes, as: UTF8.self) == nil {
      let query = ExplainQuery(path: ExplainCommand.path(of: bytes))
      let files = try await client.explain(query).files
      let found = files.flatMap(\.jobs).filter { states?.contains($0.state) ?? true }
      // An explanation has the last jobs only.
      guard found.isEmpty, let spool = files.first?.spool else { return found }
      filter.spool = spool
    }
    let name = FileName(bytes: bytes).last.text
    guard !name.isEmpty else { return [] }
    filter.name = Self.exactly(name)
    let exact = try await page(filter)
    if !exact.isEmpty || filter.spool != nil { return exact }
    filter.name = name
    return try await page(filter)
  }

  /// Returns true if what could be `HOST:NUMBER` is the name of a job's file.
  private func isName(_ argument: String) async throws -> Bool {
    guard case .onHost? = JobReference(argument) else { return false }
    var filter = JobFilter()
    filter.name = Self.exactly(argument)
    return try await !page(filter).isEmpty
  }

  private func page(_ filter: JobFilter) async throws -> [JobMessage] {
    let query = ListQuery(filter: filter, order: .newest, limit: Self.mostListed)
    return try await client.jobs(query).jobs
  }

  /// Returns a pattern that matches only this name, in upper or lower case: each wildcard stands for itself, and one class makes
  /// it a pattern.
  static func exactly(_ name: String) -> String {
    let escaped = name.map { "*?[".contains($0) ? "[\($0)]" : String($0) }.joined()
    // `[^]`, `[!]` and `[]]` would be something else.
    guard !escaped.contains("["),
      let place = name.firstIndex(where: { !"^!]".contains($0) && $0.unicodeScalars.count == 1 })
    else { return escaped }
    return name[..<place] + "[\(name[place])]" + name[name.index(after: place)...]
  }

  /// Returns the one job that each argument means.
  ///
  /// - Parameter command: the command for the jobs; nil for one that fits every job. A job that is named by its number is left to the
  ///   daemon.
  /// - Throws: ``CommandFailure`` with status 1 if a name means no job or several; then they are listed. With 64 for an empty one.
  func references(_ arguments: [String], for command: JobCommand.Name? = nil) async throws -> [JobReference] {
    guard !arguments.contains("") else { throw CommandFailure.usage("the name of a job is empty") }
    var references: [JobReference] = []
    for argument in arguments {
      // A path is no HOST:NUMBER.
      if !argument.contains("/"), let reference = JobReference(argument), try await !isName(argument) {
        references.append(reference)
        continue
      }
      let found = try await jobs(argument, in: command?.fittingStates)
      switch found.count {
      case 0: try await reportNone(argument, for: command)
      case 1: references.append(found[0].reference)
      default: reportSeveral(argument, found)
      }
    }
    if references.count < arguments.count { throw CommandFailure.jobs }
    return references
  }

  /// Reports that no job of this name is in a state for the command, with those in other states.
  private func reportNone(_ argument: String, for command: JobCommand.Name?) async throws {
    guard let command, let last = try await jobs(argument, in: nil).first else {
      let shown = DisplayText.escape(argument)
      return Output.error(
        "no job has the number, the id or the file name '\(shown)'. To find out about a file: waybill explain FILE")
    }
    let advice = command.advice(on: last.shownReference, in: last.state).map { ". \($0)" } ?? ""
    Output.error(
      "job \(last.shownReference) (\(DisplayText.escape(last.name))) is \(last.stateWord); it cannot be "
        + "\(command.participle)\(advice)")
  }

  private func reportSeveral(_ argument: String, _ jobs: [JobMessage]) {
    for line in Table(jobs, now: .now).lines(.standardOutput) { Output.line(line) }
    let more = jobs.count == Self.mostListed ? " or more" : ""
    Output.error(
      "'\(DisplayText.escape(argument))' fits \(jobs.count)\(more) jobs: give the number of one")
  }
}
