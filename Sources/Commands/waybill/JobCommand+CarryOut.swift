import CommandParts
import ControlAPI
import Jobs
import Messages

extension JobCommand {
  /// The number of jobs from which on a question is asked.
  static let manyJobs = 20

  private var least: Int {
    switch self {
    case .discard: 1
    case .cancel(reason: _, remove: true): 2
    case .cancel, .confirm, .retry, .release: Self.manyJobs
    }
  }

  /// Carries the command out and reports each result. A refused job does not stop the others from being tried. It asks first if it
  /// affects many jobs or a group.
  /// - Throws: ``CommandFailure``, with status 1 if a job was unknown or not in a state for the command, or after a no, and 64 if
  ///   there is nobody to ask.
  func carryOut(on options: SelectionOptions) async throws {
    let client = try options.connection.client()
    let given = try options.selection()
    if options.dryRun { return try await list(given, options.jobs, over: client) }
    guard let given else {
      if !options.yes, options.jobs.count >= least { try ask(options.jobs.count, "") }
      return try await carryOut(on: options.jobs.map { SeenJob($0, revision: nil) }, over: client)
    }
    let (selection, count, words) = try await look(at: given, asks: !options.yes, over: client)
    // The files are those that are shown here.
    let files = if case .release = self { try await jobs(selection, over: client) } else { [SeenJob]() }
    let isGroup = if case .group = selection { true } else { false }
    // Nobody is asked about jobs to which the command does not apply: the daemon says so.
    if !options.yes, count > 0, isGroup || count >= least { try ask(count, words, isGroup: isGroup) }
    if case .release = self {
      if files.isEmpty { Output.line("0 jobs released") }
      return try await carryOut(on: files, over: client)
    }
    try report(try await client.carryOut(self, on: selection))
  }

  /// Returns what is meant by a selection as it is now, with the number of jobs to ask about, and words for them. A group has its digest,
  /// so that the answer is for what was counted.
  private func look(
    at given: JobSelection, asks: Bool, over client: ControlClient
  ) async throws -> (selection: JobSelection, count: Int, words: String) {
    let filter = if case .filter(let filter) = given { filter } else { JobFilter() }
    guard let number = filter.like else {
      guard asks, let meant = given.filter(for: name) else { return (given, 0, "") }
      return (given, try await count(meant, over: client), given == .all ? meant.words : filter.words)
    }
    guard let group = try await client.groups(filter).groups.first, let digest = group.digest else {
      throw CommandFailure(words: "no such job is in group \(number)")
    }
    let reason = group.reason.text.isEmpty ? "" : " (\(DisplayText.escape(group.reason.text)))"
    return (
      .group(filter, digest), name.fittingStates.contains(group.state) ? group.count : 0,
      "\(filter.words) of group \(number)\(reason)"
    )
  }

  /// The jobs of a selection as they are now: files are given back one by one.
  private func jobs(_ selection: JobSelection, over client: ControlClient) async throws -> [SeenJob] {
    guard let filter = selection.filter(for: name) else { return [] }
    var jobs: [JobMessage] = []
    try await client.jobs(ListQuery(filter: filter), most: nil) { jobs += $0.jobs }
    if filter.like != nil, let first = jobs.first {
      // Between two pages the group may have changed.
      jobs.removeAll { ReasonKey(of: $0) != ReasonKey(of: first) || $0.state != first.state }
    }
    return jobs.map { SeenJob($0.reference, revision: $0.revision) }
  }

  private func count(_ filter: JobFilter, over client: ControlClient) async throws -> Int {
    try await client.groups(filter).groups.map(\.count).saturatingSum
  }

  /// Asks about jobs.
  /// - Parameter isGroup: true if it asks however few they are.
  private func ask(_ count: Int, _ words: String, isGroup: Bool = false) throws {
    let jobs = Words.count(count, "job", "jobs") + words
    let question =
      switch self {
      case .confirm: "Confirm \(jobs)?"
      case .cancel(_, let remove): "Cancel \(jobs)\(remove ? ", and delete their uploaded objects" : "")?"
      case .retry: "Queue \(jobs) again?"
      case .release(let to): "Give the files of \(jobs) back to \(DisplayText.escape(to))?"
      case .discard where count == 1 && words.isEmpty: "Delete the file for good?"
      case .discard: "Delete the \(count == 1 ? "file" : "files") of \(jobs) for good?"
      }
    let rule = isGroup ? " about a group" : least == 1 ? ", as always" : ", as it does from \(least) jobs on"
    try YesNoQuestion.ask(
      question, before: "\(name.rawValue) of \(Words.count(count, "job", "jobs"))", rule: rule,
      otherwise: "nothing was \(name.done)")
  }

  private func list(_ selection: JobSelection?, _ named: [JobReference], over client: ControlClient) async throws {
    var jobs: [JobMessage] = []
    for reference in named {
      let job = try await client.job(reference).job
      if name.fittingStates.contains(job.state) {
        jobs.append(job)
      } else {
        Output.error("job \(reference) is \(job.stateWord); it cannot be \(name.participle)")
      }
    }
    var count = jobs.count
    if let selection {
      guard let filter = selection.filter(for: name) else { return Output.line("No jobs.") }
      jobs = try await client.jobs(ListQuery(filter: filter, limit: ListCommand.usual)).jobs
      count = try await self.count(filter, over: client)
    }
    for line in Table(jobs, now: .now).lines(.standardOutput) { Output.line(line) }
    if count > jobs.count { Output.line("and \(Words.grouped(count - jobs.count)) more") }
    Output.line("\(name.rawValue) would affect \(Words.count(count, "job", "jobs")); nothing was done.")
  }

  private func carryOut(on jobs: [SeenJob], over client: ControlClient) async throws {
    var refused = false
    for (job, revision) in jobs.map({ ($0.job, $0.revision) }) {
      do throws(ControlError) {
        let answer = try await client.carryOut(self, on: job, revision: revision)
        Output.line(words(for: answer))
      } catch {
        guard case .problem(let problem) = error, problem.status == 404 || problem.status == 409 else { throw error }
        refused = true
        let advice = problem.state.flatMap { name.advice(on: "\(job)", in: $0) }.map { ". \($0)" } ?? ""
        Output.error("\(job): \(problem.inWords)\(advice)")
      }
    }
    if refused { throw CommandFailure.jobs }
  }

  private func words(for answer: CommandAnswer) -> String {
    let message = DisplayText.escape(answer.message.text)
    return switch name {
    // These sentences are complete without context: journal and stream have the same ones.
    case .cancel, .release, .discard: ([message] + server(answer.job)).joined(separator: "\n")
    case .confirm, .retry: "\(answer.job.shownReference): \(message)"
    }
  }

  private func server(_ job: JobMessage) -> [String] {
    let remove = if case .cancel(_, true) = self { true } else { false }
    switch job.remote {
    case nil: return remove ? ["Nothing of the job was sent to the storage."] : []
    case .clean: return remove ? ["Nothing of the job is at the storage."] : []
    case .pending:
      let what = remove ? "Its object is being deleted" : "Waybill is checking whether its object is at the storage"
      return ["\(what); to see the result: waybill show \(job.shownReference)"]
    case .objectLeft: return ["Its object stays at the storage."]
    }
  }

  private func report(_ answer: BulkAnswer) throws {
    let again = name == .retry ? " again" : ""
    Output.line("\(Words.count(answer.done, "job", "jobs")) \(name.done)\(again)")
    if let asked = answer.asked, asked > 0 {
      Output.line("\(Words.count(asked, "job", "jobs")) asked for: not answered yet by the hosts")
    }
    let left = answer.left ?? [:]
    let sum = left.values.saturatingSum
    if !left.isEmpty {
      let states = left.sorted { $0.key < $1.key }.map {
        "\(Words.grouped($0.value)) \(JobState(rawValue: $0.key)?.word ?? $0.key)"
      }
      let count = answer.done == 0 ? Words.count(sum, "job", "jobs") : Words.count(sum, "other", "others")
      Output.error("\(count) \(Self.stay(sum)): \(states.joined(separator: ", "))")
    }
    for refusal in answer.refusals {
      let name = refusal.job.map { String($0) } ?? refusal.id
      let job = [refusal.host, name].compactMap(\.self).joined(separator: ":")
      Output.error("\(DisplayText.escape(job)): \(DisplayText.escape(refusal.detail.text))")
    }
    let more = answer.refused -| answer.refusals.count -| sum
    if more > 0 { Output.error("and \(Words.grouped(more)) more \(Self.stay(more))") }
    if !answer.refusals.isEmpty || answer.refused > 0 && answer.done == 0 { throw CommandFailure.jobs }
  }

  private static func stay(_ count: Int) -> String { count == 1 ? "stays as it is" : "stay as they are" }
}

extension JobCommand.Name {
  fileprivate var done: String { self == .retry ? "queued" : participle }

  /// The command that a person needs instead, or first, if this one does not fit a job in a state; nil if there is none.
  func advice(on job: String, in state: JobState) -> String? {
    switch (self, state) {
    // A link was given.
    case (.confirm, .awaitingConfirmation): "A link replaces only an upload; without it: waybill confirm \(job)"
    case (.confirm, .aborted), (.confirm, .cancelled): "To start it again: waybill retry \(job)"
    case (.cancel, .aborted): "It has stopped. To delete its file: waybill discard \(job)"
    case (.release, _) where !state.isTerminal, (.discard, _) where !state.isTerminal:
      "Stop it first: waybill cancel \(job)"
    case (.confirm, _), (.cancel, _), (.retry, _), (.release, _), (.discard, _): nil
    }
  }
}

extension JobFilter {
  /// The properties of the jobs, to follow the word: ` of spool documents (aborted)`.
  fileprivate var words: String {
    var words = ""
    if let spool { words += " of spool \(DisplayText.escape(spool))" }
    if let step { words += " at step \(step.rawValue)" }
    if let name { words += " named like '\(DisplayText.escape(name))'" }
    if let error { words += " with '\(DisplayText.escape(error))' in the reason" }
    let states = states.map(\.word).sorted().joined(separator: " or ")
    return words + (states.isEmpty ? "" : " (\(states))")
  }
}
