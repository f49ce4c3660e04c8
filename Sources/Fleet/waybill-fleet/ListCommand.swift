import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import Jobs
import PostgreSQL

/// `waybill-fleet list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The jobs of all hosts, by host and number.",
    discussion: """
      A job marked with ? is of a host that was not heard of lately, as it was then. A job that is held or has failed shows \
      the reason. With several options, all of them must match.

      With --by reason the command counts the jobs instead, by state, destination, step and reason over all hosts, the \
      largest count first. GROUP is the name of the group's first job. Commands take it: waybill-fleet confirm --group \
      scanner-3/17. They show the group and ask; with --digest, which --json shows, they answer only the jobs that are \
      counted here. The name stays the same until that job is answered. An ellipsis stands for the parts of a reason that differ \
      from job to job.
      """)

  @OptionGroup var options: FleetOptions
  @OptionGroup var filter: FleetFilterOptions
  @Argument(
    help: ArgumentHelp(
      "Only jobs whose file's name contains this text, or matches this shell pattern; as --name.", valueName: "name"))
  var file: String?
  @Option(help: "At this step: upload or register.") var step: Step?
  @Option(help: ArgumentHelp("Admitted at or after this time. \(TimeArgument.forms)", valueName: "time"))
  var since: TimeArgument?
  @Option(help: ArgumentHelp("Admitted before this time.", valueName: "time")) var until: TimeArgument?
  @Option(help: ArgumentHelp("At most this many jobs; with --by, this many groups.", valueName: "number"))
  var limit = 1000
  @Option(help: "Count the jobs by state, destination, step and reason instead: --by reason.") var by: Grouping?
  @Flag(help: "One JSON document: {\"jobs\":[…]}; with --by {\"groups\":[…]}.") var json = false

  private struct Jobs: Encodable { var jobs: [FleetJob] }
  private struct Groups: Encodable { var groups: [FleetGroup] }

  func validate() throws {
    if file != nil, filter.name != nil { throw ValidationError("Give the name once: with --name, or without.") }
    if limit < 1 { throw ValidationError("--limit needs a number of at least 1.") }
    _ = try filter.filter()
  }

  func run() throws {
    let session = try options.fleet()
    var wanted = try filter.withGroup(try filter.filter(), session)
    if let file { wanted.name = file }
    wanted.step = step?.rawValue
    wanted.since = since?.timestamp
    wanted.until = until?.timestamp
    if by != nil { return try count(session, wanted) }
    let found = try FleetView.jobs(session, wanted, limit: limit)
    if found.unreadable > 0 {
      Output.error(
        "\(Words.count(found.unreadable, "job", "jobs")) of \(Words.shown(found.hostsOfUnreadable.joined(separator: ", "))) "
          + "cannot be read, and are not shown: they are of a newer version of Waybill, or their rows are damaged")
    }
    if found.next != nil { Output.error("there are more than \(limit): use --limit or a filter") }
    if json { return try Output.json(Jobs(jobs: found.jobs)) }
    if found.jobs.isEmpty { return Output.line("No jobs.") }
    for line in FleetJobTable.lines(found.jobs) { Output.line(line) }
  }

  private func count(_ session: PostgreSQLSession, _ wanted: FleetFilter) throws {
    let groups = try FleetView.groups(session, wanted, limit: min(limit, FleetGroup.most))
    if json { return try Output.json(Groups(groups: groups)) }
    if groups.isEmpty { return Output.line("No jobs.") }
    var table = Table(columns: [
      .init(heading: "GROUP", least: 12, isStiff: true), .init(heading: "JOBS", isNumber: true),
      .init(heading: "HOSTS", isNumber: true), .init(heading: "STATE", least: 10, isStiff: true),
      .init(heading: "DESTINATION", least: 8), .init(heading: "STEP"), .init(heading: "KIND", least: 7),
      .init(heading: "REASON", least: 10),
    ])
    table.rows = groups.map { group in
      [
        .init(text: Words.shown(group.first)), .init(text: String(group.jobs)), .init(text: String(group.hosts)),
        .init(text: group.key.state, style: JobState(rawValue: group.key.state)?.style ?? .plain),
        .init(text: Words.shown(group.key.destination ?? "")), .init(text: group.key.step),
        .init(text: group.key.kind ?? ""), .init(text: Words.shown(group.shown)),
      ]
    }
    Output.table(table)
    if let hint = Self.hint(groups) { Output.folded("\n" + hint) }
  }

  /// Returns the commands for a group, if one of them waits for a person.
  private static func hint(_ groups: [FleetGroup]) -> String? {
    func first(_ state: JobState) -> String? {
      groups.first { $0.key.state == state.rawValue }.map { Words.shown($0.first) }
    }
    if let name = first(.awaitingConfirmation) {
      return "To answer a group: waybill-fleet confirm --group \(name), or waybill-fleet cancel --group \(name)"
    }
    return first(.aborted).map { "To try a group again: waybill-fleet retry --group \($0)" }
  }
}

/// Jobs of all hosts as a table.
enum FleetJobTable {
  static func lines(_ jobs: [FleetJob]) -> [String] {
    JobTable(
      jobs.map { ($0.shown + ($0.isOfSilentHost ? " ?" : ""), $0.job) }, isNumber: false, now: .now,
      advice: { $0.heldBy.map(advice) }
    ).lines(.standardOutput)
  }

  /// The reasons that hold a job, without the host's own commands.
  static func advice(_ hold: HoldMessage) -> String {
    let sentence = hold.sentence
    return sentence.firstRange(of: ": waybill").map { String(sentence[..<$0.lowerBound]) } ?? sentence
  }
}
