import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import Jobs
import PostgreSQL

/// `waybill-fleet show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "One job, and what happened to it.",
    discussion: """
      The history says who asked for each change. Attempts, receipts and metadata are on the job's host: waybill show.
      """)

  @OptionGroup var options: FleetOptions
  @Argument(help: ArgumentHelp("HOST/NUMBER, or the job's id.", valueName: "job")) var job: String
  @Flag(help: "The job as JSON.") var json = false

  /// The job with its history, in the form of the host's own daemon.
  private struct Detail: Encodable {
    var job: FleetJob
    var history: [FleetEvent]

    enum CodingKeys: String, CodingKey { case history }

    func encode(to encoder: any Encoder) throws {
      try job.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(history, forKey: .history)
    }
  }

  func run() throws {
    let session = try options.fleet()
    var filter = FleetFilter()
    filter.jobs = [job]
    let found = try FleetView.jobs(session, filter, limit: 2)
    guard found.unreadable == 0 else {
      throw Failure(
        status: Failure.unavailable,
        words: "job \(Words.shown(job)) is of a newer version of Waybill: install a newer waybill-fleet")
    }
    guard let first = found.jobs.first else {
      throw Failure(status: ExitCode(1), words: "the fleet has no job \(Words.shown(job))")
    }
    guard found.jobs.count == 1 else {
      throw Failure(
        status: ExitCode(1),
        words: "two hosts have this name: say \(found.jobs.map(\.name).joined(separator: " or "))")
    }
    let history = try FleetView.history(session, of: first)
    if json { return try Output.json(Detail(job: first, history: history)) }
    report(first, history)
  }

  private func report(_ found: FleetJob, _ history: [FleetEvent]) {
    let (job, terminal) = (found.job, Terminal.standardOutput)
    for line in Folded.lines(
      "Job \(Words.shown(found.shown)): \(Words.shown(job.name))", width: terminal.columns, indent: 2)
    {
      Output.line(terminal.styled(line, .heading))
    }
    Output.line(
      "\(terminal.styled(job.stateWord, job.state.style)) at step \(job.step.rawValue), attempt \(job.attempt)")
    if found.isOfSilentHost {
      Output.folded(
        "as of \(Words.time(found.hostSeenAt.timestamp)), when \(Words.shown(found.host)) was last heard of: look at the host and its agent"
      )
    }
    if let question = job.question { Output.folded(Words.shown(question), indent: 0) }
    if let remedy = Self.remedy(found) { Output.folded("To go on: \(remedy)", indent: 10) }
    Output.line()
    let facts: [(String, String?)] = [
      ("Host", found.host), ("Id", job.id), ("Spool", job.spool), ("File", job.path), ("Size", Words.bytes(job.size)),
      ("Destination", job.destination), ("Link", job.link),
      ("Reason", job.state == .registered ? nil : job.error?.message),
      ("Held by", job.heldBy.map(FleetJobTable.advice)),
      ("Next attempt", job.nextAttemptAt.map { Words.time($0.timestamp) }), ("At storage", job.remote?.rawValue),
      (
        "Admitted",
        "\(Words.time(job.createdAt.timestamp)) (\(Words.age(.now - job.createdAt.timestamp)) ago)"
      ),
      ("Changed", Words.time(job.updatedAt.timestamp)), ("Released", job.releasedWords),
      ("Finished", job.finishedAt.map { Words.time($0.timestamp) }),
      ("File removed", job.path != nil ? nil : job.disposedAt.map { Words.time($0.timestamp) }),
      ("Revision", String(job.revision)),
    ]
    for (name, value) in facts {
      guard let value else { continue }
      Output.folded(name + String(repeating: " ", count: 14 - name.count) + Words.shown(value), indent: 14)
    }
    guard !history.isEmpty else { return }
    Output.line("\nHistory")
    for event in history {
      let by = event.by.map { " by \(Words.shown($0))" } ?? ""
      let reason = event.reason.map { ": \(Words.shown($0))" } ?? ""
      Output.folded("  \(event.at)  \(event.step.map { $0 + " " } ?? "")\(event.event)\(by)\(reason)", indent: 4)
    }
  }

  /// The commands that move the job on, from here.
  private static func remedy(_ found: FleetJob) -> String? {
    let name = Words.shown(found.shown)
    return switch found.job.state {
    case .awaitingConfirmation: "waybill-fleet confirm \(name), or waybill-fleet cancel \(name)"
    case .deferred, .aborted, .cancelled: "waybill-fleet retry \(name)"
    case .awaitingCredentials, .awaitingNetwork, .queued, .active, .registered, .skipped, .discarded: nil
    }
  }
}
