import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

/// The options of commands that may affect many jobs.
struct CautionOptions: ParsableArguments {
  @Flag(
    help: """
      Do not ask. Required without a terminal from \(JobCommand.manyJobs) jobs on (discard: 1; cancel --remove: 2).
      """)
  var yes = false
  @Flag(help: "List the affected jobs, at most 100, and do nothing.") var dryRun = false
}

extension JobCommand {
  /// The number of jobs from which on a question is asked.
  static let manyJobs = 20

  /// Lists the jobs for `--dry-run`, or asks if the command affects many.
  ///
  /// - Returns: true if the command is to be carried out.
  /// - Throws: ``CommandFailure``, with status 1 after a no and 64 without a terminal.
  func isWanted(
    for options: SelectionOptions, named: [JobReference], over client: ControlClient
  ) async throws -> Bool {
    if options.caution.dryRun {
      try await list(options, named, over: client)
      return false
    }
    guard !options.caution.yes else { return true }
    let least = self.least
    guard let selection = try options.selection() else {
      if named.count >= least { try ask(named.count, "") }
      return true
    }
    guard let filter = selection.filter(for: name) else { return true }
    let all = try await count(filter, over: client)
    guard all >= least else { return true }
    // A filter without states means those that the command fits; the person did not name them.
    let words = if case .filter(let given) = selection { given.words } else { filter.words }
    try ask(all, words)
    return true
  }

  /// The smallest number of jobs for which a question is asked.
  var least: Int {
    switch self {
    case .discard: 1
    case .cancel(reason: _, remove: true): 2
    case .cancel, .confirm, .retry, .release: Self.manyJobs
    }
  }

  /// Asks about jobs.
  ///
  /// - Parameter isGroup: true if it asks however few they are, because nobody has seen them.
  func ask(_ count: Int, _ words: String, isGroup: Bool = false) throws {
    let jobs = Words.grouped(count) + (count == 1 ? " job" : " jobs") + words
    let (question, otherwise) =
      switch self {
      case .confirm: ("Confirm \(jobs)?", "nothing was confirmed")
      case .cancel(_, let remove):
        ("Cancel \(jobs)\(remove ? ", and delete their uploaded objects" : "")?", "nothing was cancelled")
      case .retry: ("Queue \(jobs) again?", "nothing was queued")
      case .release(let to): ("Give the files of \(jobs) back to \(DisplayText.escape(to))?", "nothing was released")
      case .discard where count == 1 && words.isEmpty: ("Delete the file for good?", "nothing was discarded")
      case .discard: ("Delete the \(count == 1 ? "file" : "files") of \(jobs) for good?", "nothing was discarded")
      }
    let rule = isGroup ? " about a group" : least == 1 ? ", as always" : ", as it does from \(least) jobs on"
    try YesNoQuestion.ask(
      question, before: "\(name.rawValue) of \(Words.count(count, "job", "jobs"))", rule: rule, otherwise: otherwise)
  }

  private func count(_ filter: JobFilter, over client: ControlClient) async throws -> Int {
    let groups = try await calling { () async throws(ControlError) in try await client.groups(filter) }.groups
    return groups.map(\.count).saturatingSum
  }

  private func list(_ options: SelectionOptions, _ named: [JobReference], over client: ControlClient) async throws {
    var count = 0
    if let selection = try options.selection() {
      guard let filter = selection.filter(for: name) else { return Output.line("No jobs.") }
      let query = ListQuery(filter: filter, limit: ListCommand.usual)
      let shown = try await calling { () async throws(ControlError) in try await client.jobs(query) }.jobs
      for line in JobTable(shown, now: .now).lines(.standardOutput) { Output.line(line) }
      count = try await self.count(filter, over: client)
      if count > shown.count { Output.line("and \(Words.grouped(count - shown.count)) more") }
    } else {
      for reference in named {
        let job = try await calling { () async throws(ControlError) in try await client.job(reference) }
        guard name.fittingStates.contains(job.job.state) else {
          Output.error("job \(reference) is \(job.job.stateWord); it cannot be \(name.participle)")
          continue
        }
        for line in JobTable([job.job], now: .now).lines(.standardOutput) { Output.line(line) }
        count += 1
      }
    }
    Output.line(
      "\(name.rawValue) would affect \(Words.grouped(count)) \(count == 1 ? "job" : "jobs"); nothing was done.")
  }
}

extension JobFilter {
  /// The properties of the jobs, to follow the word: ` of spool documents that are aborted`.
  var words: String {
    var words = ""
    if let spool { words += " of spool \(DisplayText.escape(spool))" }
    if let step { words += " at step \(step.rawValue)" }
    if let name { words += " named like '\(DisplayText.escape(name))'" }
    if let error { words += " with '\(DisplayText.escape(error))' in the reason" }
    let states = states.map(\.word).sorted().joined(separator: " or ")
    return words + (states.isEmpty ? "" : " (\(states))")
  }
}
