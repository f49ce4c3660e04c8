import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

/// `waybill list`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The jobs, the newest last.",
    discussion: """
      Five words stand for several states: waiting (continues by itself), working (a request is in flight), needs-you \
      (a question, or a refused key), stopped (aborted or cancelled; the file stays) and done. Without --limit, the \
      last 100 jobs are shown, with --json all.

      With --by reason the command counts the jobs by state, step and reason, the largest group first; beyond 1000 \
      reasons the rest is one group. GROUP is the number of the group's first job: waybill confirm --group 17 shows \
      this group and asks. The reason is the failure (kind, HTTP status and first sentence, with an ellipsis for \
      parts that differ), or the pause or destination that holds the jobs.
      """)

  /// The number of jobs that are shown to a person if nothing says how many.
  static let usual = 100

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var options: FilterOptions
  @Argument(
    help: ArgumentHelp(
      "Only jobs whose file's name contains this text, or matches this shell pattern; as --name.", valueName: "name"))
  var file: String?
  @Option(help: "At this step: upload or register.") var step: Step?
  @Option(
    help: ArgumentHelp(
      "Admitted at or after this time. \(TimeArgument.forms)",
      valueName: "time"))
  var since: TimeArgument?
  @Option(help: ArgumentHelp("Admitted before this time.", valueName: "time")) var until: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "The number of jobs to show, the last ones, or all; with --by, the number of reasons.", valueName: "number|all"))
  var limit: LineCount?
  @Option(help: "Count the jobs by reason instead.") var by: Grouping?
  @Flag(help: .json) var json = false

  func validate() throws {
    if file != nil, options.name != nil { throw ValidationError("Give the name once: with --name, or without.") }
    _ = try filter()
  }

  func run() async throws {
    let client = try connection.client()
    if by != nil { return try await count(client) }
    let filter = try filter()
    if let most = limit.map(\.count) ?? (json ? nil : Self.usual) {
      let last = try await last(most, filter, client)
      if json { return Output.json(last) }
      try await show(last.jobs, client)
      hint(last.jobs.map(\.state))
      if limit == nil, last.next != nil {
        Output.error("the last \(last.jobs.count) jobs; there are more: --limit all")
      }
      return
    }
    var query = ListQuery(filter: filter, limit: ListQuery.limits.upperBound)
    var all = JobPage(jobs: [], next: nil)
    var states: [JobState] = []
    repeat {
      let page = try await calling { [query] () async throws(ControlError) in try await client.jobs(query) }
      query.after = page.next.flatMap { PageCursor($0) }
      if json {
        all.jobs += page.jobs
      } else {
        if !page.jobs.isEmpty || states.isEmpty { try await show(page.jobs, client) }
        states += page.jobs.map(\.state)
      }
    } while query.after != nil
    if json { Output.json(all) }
    hint(states)
  }

  /// Returns the last jobs, at most that many, the newest last.
  private func last(_ most: Int, _ filter: JobFilter, _ client: ControlClient) async throws -> JobPage {
    var query = ListQuery(filter: filter, order: .newest)
    var found = JobPage(jobs: [], next: nil)
    repeat {
      query.limit = min(most - found.jobs.count, ListQuery.limits.upperBound)
      let page = try await calling { [query] () async throws(ControlError) in try await client.jobs(query) }
      found.jobs += page.jobs
      found.next = page.next
      query.after = page.next.flatMap { PageCursor($0) }
    } while query.after != nil && found.jobs.count < most
    found.jobs.reverse()
    return found
  }

  /// Shows jobs to a person.
  private func show(_ jobs: [JobMessage], _ client: ControlClient) async throws {
    if jobs.isEmpty { return Output.line("No jobs." + (try await unknownSpool(client))) }
    for line in JobTable(jobs, now: .now).lines(.standardOutput) { Output.line(line) }
  }

  /// Shows the commands that move the jobs that wait for somebody, once for all jobs: to a person who looks at the list, not to a program
  /// that reads it.
  private func hint(_ states: [JobState]) {
    guard Terminal.isWatched else { return }
    let counts = Dictionary(states.map { ($0, 1) }, uniquingKeysWith: +)
    for state in JobState.allCases {
      if let count = counts[state], let remedy = state.remedy { Output.error("\(count) \(state.word): \(remedy)") }
    }
  }

  /// Says that there is no such spool, if that is why there are no jobs.
  private func unknownSpool(_ client: ControlClient) async throws -> String {
    guard let spool = options.spool else { return "" }
    let known = try await calling { () async throws(ControlError) in try await client.status() }.spools.map(\.name)
    guard !known.contains(spool) else { return "" }
    let names = known.map(DisplayText.escape).joined(separator: ", ")
    return " There is no spool '\(DisplayText.escape(spool))'; the spools are: \(names.isEmpty ? "none" : names)"
  }

  private func count(_ client: ControlClient) async throws {
    let filter = try filter()
    let groups = try await calling { () async throws(ControlError) in try await client.groups(filter) }.groups
    let largest = Array(groups.prefix(limit?.count ?? .max))
    if json { return Output.json(ReasonGroups(groups: largest)) }
    for line in ReasonTable(largest).lines(.standardOutput) { Output.line(line) }
    if let hint = ReasonTable.hint(largest) { Output.line("\n" + hint) }
  }

  private func filter() throws -> JobFilter {
    var filter = try options.filter()
    if let file { filter.name = file }
    filter.step = step
    filter.since = since?.timestamp
    filter.until = until?.timestamp
    return filter
  }
}
