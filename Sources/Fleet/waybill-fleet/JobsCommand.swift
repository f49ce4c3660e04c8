import ArgumentParser
import CommandParts
import Fleet
import PostgreSQL

/// The jobs that a command is about.
struct JobsOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("HOST/NUMBER, or a job's id.", valueName: "job")) var jobs: [String] = []
  @Flag(help: "All jobs that the command is for.") var all = false
  @OptionGroup var filter: FleetFilterOptions
  @Option(
    help: ArgumentHelp(
      """
      With --group: the digest of the group, from list --by reason --json. If the group is another one by now, nothing is \
      asked for. Without it the command shows the group and asks.
      """, valueName: "digest"))
  var digest: String?

  /// The jobs in words, as they were asked for.
  var words: String {
    if all { return "--all" }
    return jobs.isEmpty ? filter.words : jobs.joined(separator: " ")
  }

  func validate() throws {
    _ = try named()
    guard let digest else { return }
    guard filter.group != nil else { throw ValidationError("--digest goes with --group.") }
    guard FleetDigest(digest) != nil else {
      throw ValidationError("--digest needs what list --by reason --json shows as digest.")
    }
  }

  /// The jobs, with the group looked up.
  func selection(_ session: PostgreSQLSession) throws -> FleetFilter {
    try filter.withGroup(try named(), session)
  }

  private func named() throws -> FleetFilter {
    var filter = try filter.filter()
    let isEmpty = filter.isEmpty && self.filter.group == nil
    switch (jobs.isEmpty, all, isEmpty) {
    case (false, false, true): filter.jobs = jobs
    case (true, true, _), (true, false, false): break
    case (true, false, true): throw ValidationError("Say which jobs are meant: HOST/NUMBER, --all, or a filter.")
    default: throw ValidationError("Jobs, --all and a filter exclude each other.")
    }
    return filter
  }
}

/// A command about jobs.
protocol JobsCommand: ParsableCommand {
  var options: FleetOptions { get }
  var selection: JobsOptions { get }
  var request: RequestOptions { get }
  var action: String { get }
  var arguments: FleetCommand.Arguments { get }
}

extension JobsCommand {
  var arguments: FleetCommand.Arguments { FleetCommand.Arguments() }

  func run() throws {
    let session = try options.fleet()
    var filter = try selection.selection(session)
    do {
      try FleetView.requireOne(session, of: filter.jobs)
    } catch let ambiguous as FleetNameAmbiguous {
      throw Failure(status: ExitCode(1), words: "\(ambiguous)")
    }
    let shown = try FleetRequest.shown(session, action, of: filter)
    let count = Int(shown.jobs)
    if request.dryRun {
      let found = try FleetView.jobs(session, FleetRequest.meant(action, filter), limit: 1000)
      for line in FleetJobTable.lines(found.jobs) { Output.line(line) }
      return Output.line("\(action) would affect \(Words.count(count, "job", "jobs")); nothing was done.")
    }
    if filter.group != nil {
      guard let group = try FleetView.groups(session, filter, limit: 1).first else {
        throw Failure(status: ExitCode(1), words: "no job is meant")
      }
      filter.digest = selection.digest.flatMap { FleetDigest($0) } ?? group.digest
      let place = group.key.destination.map { " at \($0)" } ?? ""
      _ = try request.confirmed(
        count, action, of: "\(place), \(group.key.state): \(group.shown)", isSeen: selection.digest != nil)
    } else {
      // the answer at the terminal applies to these jobs
      if try request.confirmed(count, action) { filter.shown = shown }
    }
    let asked: FleetRequest
    do {
      asked = try FleetRequest.ask(session, action, arguments, of: filter, in: selection.words, by: request.asker)
    } catch let changed as FleetGroupChanged {
      throw Failure(status: ExitCode(1), words: "\(changed)")
    }
    try request.waitFor(asked, session)
  }
}

/// `waybill-fleet confirm`
struct ConfirmCommand: JobsCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Answer questions with yes: try the failed step again.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var selection: JobsOptions
  @OptionGroup var request: RequestOptions
  var action: String { "confirm" }
}

/// `waybill-fleet cancel`
struct CancelCommand: JobsCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Stop jobs; their files are kept on their hosts.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var selection: JobsOptions
  @OptionGroup var request: RequestOptions
  @Option(help: ArgumentHelp("The reason, for the history.", valueName: "text")) var reason: String?
  @Flag(help: "Delete the objects too, where the host allows it.") var remove = false
  var action: String { "cancel" }
  var arguments: FleetCommand.Arguments { FleetCommand.Arguments(reason: reason, remove: remove ? true : nil) }
}

/// `waybill-fleet retry`
struct RetryCommand: JobsCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Try aborted jobs, or those that are named, again.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var selection: JobsOptions
  @OptionGroup var request: RequestOptions
  var action: String { "retry" }
}

/// `waybill-fleet discard`
struct DiscardCommand: JobsCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Delete the files of aborted or cancelled jobs, where the host allows it.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var selection: JobsOptions
  @OptionGroup var request: RequestOptions
  var action: String { "discard" }
}
