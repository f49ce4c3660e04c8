import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

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
  @OptionGroup var range: RangeOptions
  @Option(help: "At this step: upload or register.") var step: Step?
  @Option(
    help: ArgumentHelp(
      "The number of jobs to show, the last ones, or all; with --by, the number of reasons.", valueName: "number|all"))
  var limit: LineCount?
  @Option(help: "Count the jobs by reason instead.") var by: Grouping?
  @Flag(help: .json) var json = false

  func validate() throws {
    guard limit?.count != 0 else { throw ValidationError("--limit needs a number from 1 on, or all.") }
    _ = try filter()
  }

  func run() async throws {
    let client = try connection.client()
    if by != nil { return try await count(client) }
    let most = limit.map(\.count) ?? (json ? nil : Self.usual)
    let query = ListQuery(filter: try filter(), order: most == nil ? .oldest : .newest)
    var kept = JobPage(jobs: [], next: nil)
    var isFirst = true
    try await client.jobs(query, most: most) { page in
      if most == nil, !json, !page.jobs.isEmpty || isFirst { try await show(page.jobs, client) }
      isFirst = false
      kept.next = page.next
      if most != nil || json { kept.jobs += page.jobs }
    }
    if most != nil { kept.jobs.reverse() }
    if json { return Output.json(kept) }
    if most != nil { try await show(kept.jobs, client) }
    if limit == nil, kept.next != nil {
      Output.error("the last \(kept.jobs.count) jobs; there are more: --limit all")
    }
  }

  /// Shows jobs to a person, or says that there is no such spool, if that is why there are none.
  private func show(_ jobs: [JobMessage], _ client: ControlClient) async throws {
    for line in Table(jobs, now: .now).lines(.standardOutput) { Output.line(line) }
    guard jobs.isEmpty else { return }
    let spools = options.scope.spool == nil ? [] : try await client.status().spools
    guard let spool = options.scope.spool, !spools.contains(where: { $0.name == spool }) else {
      return Output.line("No jobs.")
    }
    Output.line("No jobs: \(SpoolChoice.missing(spool, among: spools))")
  }

  private func count(_ client: ControlClient) async throws {
    let filter = try filter()
    let groups = try await client.groups(filter).groups
    let largest = Array(groups.prefix(limit?.count ?? .max))
    if json { return Output.json(ReasonGroups(groups: largest)) }
    for line in largest.isEmpty ? ["No jobs."] : Table(largest).lines(.standardOutput) { Output.line(line) }
    if let hint = largest.hint { Output.line("\n" + hint) }
  }

  private func filter() throws -> JobFilter {
    var filter = try options.filter()
    filter.step = step
    (filter.since, filter.until) = (range.since?.timestamp, range.until?.timestamp)
    return filter
  }
}

extension ControlClient {
  /// Calls `body` with each page of jobs, for at most so many jobs; nil for all.
  func jobs(_ query: ListQuery, most: Int?, _ body: (JobPage) async throws -> Void) async throws {
    var query = query
    var left = most ?? .max
    repeat {
      query.limit = min(left, ListQuery.limits.upperBound)
      let page = try await jobs(query)
      left -= page.jobs.count
      query.after = page.next.flatMap { PageCursor($0) }
      try await body(page)
    } while query.after != nil && left > 0
  }
}
