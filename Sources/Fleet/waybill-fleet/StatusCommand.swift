import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import Jobs
import Messages

/// `waybill-fleet status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "The hosts, and what waits for a person on them.",
    discussion: "What is shown of a silent host is as of when it was last heard of.")

  @OptionGroup var options: FleetOptions
  @Flag(help: "One JSON document: {\"hosts\":[…]}.") var json = false

  private struct Status: Encodable { var hosts: [FleetHost] }

  func run() throws {
    let session = try options.fleet()
    let hosts = try FleetView.hosts(session)
    if json { return try Output.json(Status(hosts: hosts)) }
    if hosts.isEmpty { return Output.line("No hosts: start waybill-fleet.service on each.") }
    for host in hosts where host.isSilent {
      Output.folded("! \(Words.shown(host.name)) was not heard of since \(host.seenAt): look at the host and its agent")
    }
    for host in hosts {
      if !host.isSilent, let trouble = host.trouble {
        Output.folded("! \(Words.shown(host.name)): \(Words.shown(trouble))")
      }
      for problem in host.problems { Output.folded("! \(Words.shown(host.name)): \(Words.shown(problem.what))") }
    }
    for hold in try FleetView.holds(session) {
      let by = hold.hold.by.map { " by \(Words.user($0.user))" } ?? ""
      let what = hold.isGate ? "is on hold (\(Words.shown(hold.hold.reason)))" : "is paused\(by)"
      Output.folded("\(Words.shown(hold.host)): \(Words.shown(hold.hold.destination)) \(what)")
    }
    Output.table(Self.table(hosts))
    var counts: [String: Int] = [:]
    for host in hosts { counts.merge(host.counts) { [$0, $1].saturatingSum } }
    // A state that this version does not know is left out.
    let jobs = Dictionary(
      uniqueKeysWithValues: counts.compactMap { name, count in JobState(rawValue: name).map { ($0, count) } })
    Output.line("Hosts  \(hosts.count), \(hosts.count(where: \.isSilent)) silent")
    Output.folded("Jobs   \(jobs.inWords)", indent: 7)
    if jobs[.awaitingConfirmation, default: 0] > 0 { Output.line("To answer the questions: waybill-fleet ask") }
  }

  private static func table(_ hosts: [FleetHost]) -> Table {
    var table = Table(columns: [
      .init(heading: "HOST", least: 8, isStiff: true), .init(heading: "STATE"), .init(heading: "HEARD"),
      .init(heading: "LAG", isNumber: true), .init(heading: "QUEUED", isNumber: true),
      .init(heading: "QUESTIONS", isNumber: true), .init(heading: "VERSION", least: 7),
      .init(heading: "LEDGER", least: 8),
    ])
    table.rows = hosts.map { host in
      [
        .init(text: Words.shown(host.name)),
        host.isSilent
          ? .init(text: "silent", style: .bad)
          : host.trouble == nil ? .init(text: "well", style: .good) : .init(text: "trouble", style: .attention),
        .init(text: host.seenAt), .init(text: String(host.lag)), .init(text: String(host.count(.queued))),
        .init(text: String(host.count(.awaitingConfirmation))), .init(text: Words.shown(host.version)),
        .init(text: host.ledger),
      ]
    }
    return table
  }
}
