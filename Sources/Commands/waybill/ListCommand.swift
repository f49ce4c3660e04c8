import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// `waybill list`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The jobs, oldest first.",
    discussion: """
      A job that is held or has failed shows the reason. Without options all jobs are listed. With several options, \
      all of them must match.

      With --by reason the command counts the jobs instead, by state, step and reason, the largest count first. \
      GROUP is the number of the group's first job. Commands take it: waybill confirm --group 17. They \
      show the group and ask; with --digest, which --json shows, they answer only the jobs that are counted here. The \
      number stays the same until that job is answered. The reason is the failure, or what holds the jobs: a pause, or a destination on hold. A failure is shown by its \
      kind, HTTP status and first sentence; an ellipsis stands for the parts that differ from job to job. Beyond \
      1000 reasons the rest are counted as other reasons.
      """)

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
  @Option(help: ArgumentHelp("At most this many jobs; with --by, this many reasons.", valueName: "number"))
  var limit: Int?
  @Option(help: "Count the jobs by state, step and reason instead: --by reason.") var by: Grouping?
  @Flag(help: "One JSON document: {\"jobs\":[…],\"next\":…}; with --by {\"groups\":[…]}.") var json = false

  func validate() throws {
    if file != nil, options.name != nil { throw ValidationError("Give the name once: with --name, or without.") }
    if let limit, limit < 1 { throw ValidationError("--limit needs a number of at least 1.") }
    _ = try filter()
  }

  func run() async throws {
    let client = try connection.client()
    if by != nil { return try await count(client) }
    var query = ListQuery(filter: try filter(), limit: ListQuery.limits.upperBound)
    var all = JobPage(jobs: [], next: nil)
    var listed = 0
    var states: [JobState: Int] = [:]
    repeat {
      if let limit { query.limit = min(limit - listed, ListQuery.limits.upperBound) }
      let page = try await calling { [query] () async throws(ControlError) in try await client.jobs(query) }
      query.after = page.next.flatMap { PageCursor($0) }
      listed += page.jobs.count
      for job in page.jobs { states[job.state, default: 0] += 1 }
      all.next = page.next
      if json {
        all.jobs += page.jobs
      } else {
        for line in JobTable(page.jobs, now: .now).lines(.standardOutput) { Output.line(line) }
      }
    } while query.after != nil && listed < limit ?? .max
    if json { return try Output.json(all) }
    if listed == 0 { return Output.line("No jobs." + (try await unknownSpool(client))) }
    for hint in Self.hints(states) { Output.error(hint) }
  }

  /// Returns the commands that move the jobs that wait for somebody: for a person who looks at the list, not for a program that
  /// reads it.
  private static func hints(_ states: [JobState: Int]) -> [String] {
    guard Terminal.isWatched else { return [] }
    return JobState.allCases.compactMap { state in
      guard let count = states[state], let remedy = state.remedy else { return nil }
      return "\(count) \(state.rawValue): \(remedy)"
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
    let largest = Array(groups.prefix(limit ?? .max))
    if json { return try Output.json(ReasonGroups(groups: largest)) }
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
