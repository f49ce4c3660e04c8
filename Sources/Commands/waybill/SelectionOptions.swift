import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

/// The jobs that a command applies to: named, found by a filter, or all.
struct SelectionOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      """
      The numbers or ids of jobs, or names or paths of their files; of a fleet, HOST:NUMBER. If several jobs have \
      a file of that name, they are listed, and nothing is done.
      """, valueName: "job"))
  var jobs: [JobArgument] = []
  @Flag(
    help: """
      For retry: all aborted jobs; for confirm and cancel: all jobs with a question; for discard and release: all \
      aborted and cancelled jobs. For other states use --state.
      """)
  var all = false
  @OptionGroup var options: FilterOptions
  @Option(
    help: ArgumentHelp(
      """
      With --group: the digest from list --by reason --json. If the group has changed, nothing is done. Without it \
      the command shows the group and asks.
      """, valueName: "digest"))
  var digest: String?
  @OptionGroup var caution: CautionOptions

  func validate() throws {
    let filter = try options.filter()
    if let digest {
      guard filter.like != nil else { throw ValidationError("--digest goes with --group.") }
      guard GroupDigest(digest) != nil else {
        throw ValidationError("--digest needs what list --by reason --json shows as digest.")
      }
    }
    switch (jobs.isEmpty, all, filter.isEmpty) {
    case (true, false, true):
      throw ValidationError(
        "Say which jobs: their numbers or file names, --all, or one of --group, --state, --spool, --name, --error.")
    case (false, false, true), (true, true, true), (true, false, false):
      break
    default:
      throw ValidationError("Use only one of these: job numbers, --all, or a filter.")
    }
  }

  /// The selection for one call; nil if jobs are named. Each of those gets its own call and answer.
  func selection() throws -> JobSelection? {
    if all { return .all }
    let filter = try options.filter()
    if let digest = digest.flatMap({ GroupDigest($0) }) { return .group(filter, digest) }
    return filter.isEmpty ? nil : .filter(filter)
  }

  /// The filter of the group that is meant; nil if the command is not about a group.
  func group() throws -> JobFilter? {
    let filter = try options.filter()
    return filter.like == nil ? nil : filter
  }
}

extension JobCommand {
  /// Carries the command out and reports each result. A refused job does not stop the others from being tried.
  ///
  /// - Throws: ``CommandFailure``, with status 1 if a job was unknown or not in a state for the command.
  func carryOut(on options: SelectionOptions, over client: ControlClient) async throws {
    let named = try await JobFinder(client: client).references(options.jobs, for: name)
    var selection = try options.selection()
    if let group = try options.group(), !options.caution.dryRun {
      selection = try await shown(group, options, over: client)
    } else {
      guard try await isWanted(for: options, named: named, over: client) else { return }
    }
    if let selection {
      if case .release = self {
        return try await carryOut(on: try await jobs(selection, over: client), over: client)
      }
      let answer = try await calling { () async throws(ControlError) in try await client.carryOut(self, on: selection) }
      return try report(answer)
    }
    try await carryOut(on: named.map { SeenJob($0, revision: nil) }, over: client)
  }

  /// The jobs of a selection: files are given back one by one.
  private func jobs(_ selection: JobSelection, over client: ControlClient) async throws -> [SeenJob] {
    if case .seen(let jobs) = selection { return jobs }
    guard let filter = selection.filter(for: name) else { return [] }
    return try await client.all(filter).map { SeenJob($0.reference, revision: nil) }
  }

  /// Carries the command out on each of the named jobs, as ``carryOut(on:over:)`` does.
  func carryOut(on jobs: [SeenJob], over client: ControlClient) async throws {
    var refused = false
    for (job, revision) in jobs.map({ ($0.job, $0.revision) }) {
      do throws(ControlError) {
        let answer = try await client.carryOut(self, on: job, revision: revision)
        Output.line(words(for: answer))
      } catch .problem(let problem) where problem.status == 404 || problem.status == 409 {
        refused = true
        let advice = problem.state.flatMap { name.advice(on: "\(job)", in: $0) }.map { ". \($0)" } ?? ""
        Output.error("\(job): \(problem.inWords)\(advice)")
      } catch {
        throw CommandFailure(error)
      }
    }
    if refused { throw CommandFailure.jobs }
  }

  private func words(for answer: CommandAnswer) -> String {
    let message = DisplayText.escape(answer.message.text)
    return switch name {
    // These sentences are complete without context: journal and stream have the same ones.
    case .cancel: ([message] + server(answer.job)).joined(separator: "\n")
    case .release, .discard: ([message] + server(answer.job)).joined(separator: "\n")
    case .confirm, .retry: "\(answer.job.shownReference): \(message)"
    }
  }

  /// The state at the storage once the job has ended, if a person may want to know it.
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
    let done =
      switch name {
      case .confirm: "confirmed"
      case .cancel: "cancelled"
      case .retry: "queued again"
      case .release: "released"
      case .discard: "discarded"
      }
    Output.line("\(Words.count(answer.done, "job", "jobs")) \(done)")
    if let asked = answer.asked, asked > 0 {
      Output.line("\(Words.count(asked, "job", "jobs")) asked for: not answered yet by the hosts")
    }
    if let left = answer.left, !left.isEmpty {
      let states = left.sorted { $0.key < $1.key }.map { "\(Words.grouped($0.value)) \($0.key)" }.joined(
        separator: ", ")
      let sum = left.values.saturatingSum
      let count = answer.done == 0 ? Words.count(sum, "job", "jobs") : Words.count(sum, "other", "others")
      Output.error("\(count) \(sum == 1 ? "stays as it is" : "stay as they are"): \(states)")
    }
    for refusal in answer.refusals {
      let name = refusal.job.map { String($0) } ?? refusal.id
      let job = [refusal.host, name].compactMap(\.self).joined(separator: ":")
      Output.error("\(DisplayText.escape(job)): \(DisplayText.escape(refusal.detail.text))")
    }
    let more = answer.refused -| answer.refusals.count -| (answer.left?.values.saturatingSum ?? 0)
    if more > 0 { Output.error("and \(Words.grouped(more)) more \(more == 1 ? "stays as it is" : "stay as they are")") }
    if !answer.refusals.isEmpty || answer.refused > 0 && answer.done == 0 { throw CommandFailure.jobs }
  }
}

extension ControlClient {
  /// Returns all jobs that a filter finds.
  func all(_ filter: JobFilter) async throws(CommandFailure) -> [JobMessage] {
    var query = ListQuery(filter: filter, limit: ListQuery.limits.upperBound)
    var jobs: [JobMessage] = []
    repeat {
      let page = try await calling { [query] () async throws(ControlError) in try await self.jobs(query) }
      jobs += page.jobs
      query.after = page.next.flatMap { PageCursor($0) }
    } while query.after != nil
    return jobs
  }
}

extension JobCommand.Name {
  /// The command that a person needs instead, or first, if this one does not fit a job in a state; nil if there is none.
  func advice(on job: String, in state: JobState) -> String? {
    switch (self, state) {
    case (.confirm, .aborted), (.confirm, .cancelled): "To start it again: waybill retry \(job)"
    case (.cancel, .aborted): "It has stopped. To delete its file: waybill discard \(job)"
    case (.release, _) where !state.isTerminal, (.discard, _) where !state.isTerminal:
      "Stop it first: waybill cancel \(job)"
    case (.confirm, _), (.cancel, _), (.retry, _), (.release, _), (.discard, _): nil
    }
  }
}
