import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import Jobs

/// `waybill-fleet list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The jobs of all hosts, by host and number.",
    discussion: """
      A job marked with ? is of a host that was not heard of lately, as it was then. A job that is held or has failed shows \
      the reason. With several options, all of them must match. Attempts, receipts and metadata are on the job's host: \
      waybill show.
      """)

  @OptionGroup var options: FleetOptions
  @OptionGroup var filter: FleetFilterOptions
  @Option(help: ArgumentHelp("At most this many jobs.", valueName: "number")) var limit = 1000
  @Flag(help: "One JSON document: {\"jobs\":[…]}. What the fleet does not keep of a job is null.") var json = false

  private struct Jobs: Encodable { var jobs: [FleetJob] }

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit needs a number of at least 1.") }
    _ = try filter.filter()
  }

  func run() throws {
    let found = try FleetView.jobs(try options.fleet(), try filter.filter(), limit: limit)
    if found.unreadable > 0 {
      Output.error(
        "\(Words.count(found.unreadable, "job", "jobs")) of \(Words.shown(found.hostsOfUnreadable.joined(separator: ", "))) "
          + "cannot be read, and are not shown: they are of a newer version of Waybill, or their rows are damaged")
    }
    if found.next != nil { Output.error("there are more than \(limit): use --limit or a filter") }
    if json { return try Output.json(Jobs(jobs: found.jobs)) }
    if found.jobs.isEmpty { return Output.line("No jobs.") }
    let table = JobTable(
      found.jobs.map { ($0.shown + ($0.isOfSilentHost ? " ?" : ""), $0.job) }, isNumber: false, now: .now,
      advice: { $0.heldBy.map(Self.advice) })
    for line in table.lines(.standardOutput) { Output.line(line) }
  }

  /// The reasons that hold a job, without the host's own commands.
  private static func advice(_ hold: HoldMessage) -> String {
    let sentence = hold.sentence
    return sentence.firstRange(of: ": waybill").map { String(sentence[..<$0.lowerBound]) } ?? sentence
  }
}
