import ArgumentParser
import ControlAPI
import Fleet
import Jobs
import PostgreSQL

/// `waybill-fleet status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "What waits for a person, on all hosts.",
    discussion: "Silent hosts come first: what is shown of them is as of when they were last heard of.")

  @OptionGroup var options: FleetOptions
  @Flag(help: "One JSON document.") var json = false

  private struct Status: Encodable {
    var hosts: [FleetHost]
    var questions: [FleetGroup]
  }

  func run() throws {
    let session = try options.fleet()
    let hosts = try FleetView.hosts(session)
    let questions = try FleetView.groups(session, FleetView.questions)
    if json { return try Output.json(Status(hosts: hosts, questions: questions)) }
    for host in hosts where host.isSilent {
      Output.line("! \(Words.shown(host.name)) was not heard of since \(host.seenAt): look at the host and its agent")
    }
    for host in hosts {
      if !host.isSilent, let trouble = host.trouble {
        Output.line("! \(Words.shown(host.name)): \(Words.shown(trouble))")
      }
      for problem in host.problems { Output.line("! \(Words.shown(host.name)): \(Words.shown(problem.what))") }
    }
    for hold in try FleetView.holds(session) {
      let by = hold.hold.by.map { " by \(Words.shown($0))" } ?? ""
      let what = hold.isGate ? "is on hold (\(Words.shown(hold.hold.reason)))" : "is paused\(by)"
      Output.line("\(Words.shown(hold.host)): \(Words.shown(hold.hold.destination)) \(what)")
    }
    let count = questions.reduce(0) { $0 + $1.jobs }
    if count > 0 { Output.line("\(count) \(count == 1 ? "question waits" : "questions wait"): waybill fleet ask") }
    var counts: [String: Int] = [:]
    for host in hosts { counts.merge(host.counts, uniquingKeysWith: +) }
    let jobs = State.allCases.compactMap { state in
      counts[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
    }
    Output.line("Hosts  \(hosts.count), \(hosts.count(where: \.isSilent)) silent")
    Output.line("Jobs   \(jobs.isEmpty ? "none" : jobs.joined(separator: ", "))")
  }
}

/// Texts in the form in which they are shown.
enum Words {
  /// A text from a far side, with everything escaped that a terminal would act on.
  static func shown(_ text: String) -> String { DisplayText.escape(text) }
}

/// `waybill-fleet hosts`
struct HostsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts", abstract: "The hosts, and when each was last heard of.")

  @OptionGroup var options: FleetOptions
  @Flag(help: "One JSON document: {\"hosts\":[…]}.") var json = false

  private struct Hosts: Encodable { var hosts: [FleetHost] }

  func run() throws {
    let hosts = try FleetView.hosts(try options.fleet())
    if json { return try Output.json(Hosts(hosts: hosts)) }
    if hosts.isEmpty { return Output.line("No hosts: start waybill-fleet.service on each.") }
    Output.table(
      ["HOST", "STATE", "HEARD", "LAG", "QUEUED", "QUESTIONS", "VERSION", "LEDGER"],
      hosts.map { host in
        [
          Words.shown(host.name), host.isSilent ? "silent" : host.trouble == nil ? "well" : "trouble", host.seenAt,
          String(host.lag), String(host.counts["queued"] ?? 0), String(host.counts["awaiting-confirmation"] ?? 0),
          Words.shown(host.version), host.ledger,
        ]
      })
  }
}

/// The options that select jobs of all hosts.
struct FleetFilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Of this host, by its name or the uuid of its ledger.", valueName: "host")) var host:
    String?
  @Option(help: "In this state. May be repeated, or list several with commas.") var state: [String] = []
  @Option(help: ArgumentHelp("From the spools of this name.", valueName: "name")) var spool: String?
  @Option(help: ArgumentHelp("At this destination, e.g. backend.main.", valueName: "name")) var destination: String?
  @Option(help: ArgumentHelp("With a name that contains this text.", valueName: "text")) var name: String?
  @Option(help: ArgumentHelp("With a failure of this kind, or with these words in it.", valueName: "words"))
  var error: String?

  /// The options in words, as they were given.
  var words: String {
    let options =
      state.map { ("state", $0) }
      + [("host", host), ("spool", spool), ("destination", destination), ("name", name), ("error", error)].compactMap {
        name, value in value.map { (name, $0) }
      }
    return options.map { "--\($0.0) \($0.1)" }.joined(separator: " ")
  }

  func filter() throws -> FleetFilter {
    var filter = FleetFilter()
    for word in state.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      guard let state = State(rawValue: String(word)) else {
        let known = State.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no state '\(word)'. The states are: \(known).")
      }
      filter.states.append(state.rawValue)
    }
    (filter.host, filter.spool, filter.destination, filter.name, filter.error) = (host, spool, destination, name, error)
    return filter
  }
}

/// `waybill-fleet list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The jobs of all hosts, by host and number.",
    discussion: "A job marked with ? is of a host that was not heard of lately, as it was then.")

  @OptionGroup var options: FleetOptions
  @OptionGroup var filter: FleetFilterOptions
  @Option(help: ArgumentHelp("At most this many jobs.", valueName: "number")) var limit = 1000
  @Flag(help: "One JSON document: {\"jobs\":[…]}.") var json = false

  private struct Jobs: Encodable { var jobs: [FleetJob] }

  func run() throws {
    let found = try FleetView.jobs(try options.fleet(), try filter.filter(), limit: limit)
    let jobs = found.jobs
    if json { return try Output.json(Jobs(jobs: jobs)) }
    if jobs.isEmpty { return Output.line("No jobs.") }
    Output.table(
      ["JOB", "STATE", "STEP", "SINCE", "NAME", "REASON"],
      jobs.map { job in
        [
          Words.shown(job.shown) + (job.isOfSilentHost ? " ?" : ""), job.job.state.rawValue, job.job.step.rawValue,
          job.job.updatedAt.timestamp.rfc3339, Words.shown(job.job.name), Words.shown(job.job.error?.message ?? ""),
        ]
      })
    if found.next != nil { Output.error("there are more than \(limit): use --limit or a filter") }
  }
}

/// `waybill-fleet show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One job, and what happened to it.")

  @OptionGroup var options: FleetOptions
  @Argument(help: ArgumentHelp("HOST/NUMBER, or the job's id.", valueName: "job")) var job: String
  @Flag(help: "The job as JSON.") var json = false

  func run() throws {
    let session = try options.fleet()
    var filter = FleetFilter()
    filter.jobs = [job]
    let jobs = try FleetView.jobs(session, filter, limit: 2).jobs
    guard let found = jobs.first else {
      throw Failure(status: ExitCode(1), words: "the fleet has no job \(Words.shown(job))")
    }
    if json { return try Output.json(found) }
    let facts: [(String, String?)] = [
      ("Job", found.shown), ("Id", found.job.id), ("Name", found.job.name), ("Spool", found.job.spool),
      ("State", found.job.state.rawValue + (found.isOfSilentHost ? ", as of when the host was last heard of" : "")),
      ("Step", found.job.step.rawValue), ("Destination", found.job.destination), ("Attempt", String(found.job.attempt)),
      ("Reason", found.job.error?.message), ("Question", found.job.question), ("Link", found.job.link),
      ("Admitted", found.job.createdAt.timestamp.rfc3339), ("Changed", found.job.updatedAt.timestamp.rfc3339),
    ]
    for (name, value) in facts {
      guard let value else { continue }
      Output.line(name + String(repeating: " ", count: 13 - name.count) + Words.shown(value))
    }
    for event in try FleetView.history(session, of: found) {
      Output.line("\(event.at)  \(Words.shown(event.message))" + (event.by.map { " [\(Words.shown($0))]" } ?? ""))
    }
  }
}
