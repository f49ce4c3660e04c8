import ArgumentParser
import CommandParts
import Fleet

/// The jobs that a command is about.
struct JobsOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("HOST/NUMBER, or a job's id.", valueName: "job")) var jobs: [String] = []
  @Flag(help: "All jobs that the command is for.") var all = false
  @OptionGroup var filter: FleetFilterOptions
  @Flag(help: "Do not ask before a command about 20 jobs or more.") var yes = false

  /// The jobs in words, as they were asked for.
  var words: String {
    if all { return "--all" }
    return jobs.isEmpty ? filter.words : jobs.joined(separator: " ")
  }

  func validate() throws { _ = try selection() }

  /// The jobs as a filter.
  func selection() throws -> FleetFilter {
    var filter = try filter.filter()
    switch (jobs.isEmpty, all, filter.isEmpty) {
    case (false, false, true): filter.jobs = jobs
    case (true, true, _), (true, false, false): break
    case (true, false, true): throw ValidationError("Say which jobs are meant: HOST/NUMBER, --all, or a filter.")
    default: throw ValidationError("Jobs, --all and a filter exclude each other.")
    }
    return filter
  }

  /// Asks y/N on a terminal before a command about many jobs.
  ///
  /// - Returns: true if a person was asked, and said yes.
  func confirmed(_ count: Int, _ action: String) throws -> Bool {
    guard count >= 20, !yes else { return false }
    let jobs = Words.count(count, "job", "jobs")
    try YesNoQuestion.ask(
      "\(action) \(jobs)?", before: "\(action) of \(jobs)", rule: ", as it does from 20 jobs on",
      otherwise: "nothing was asked for")
    return true
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
    var filter = try selection.selection()
    let asked: FleetRequest
    do {
      try FleetView.requireOne(session, of: filter.jobs)
      // the answer at the terminal applies to these jobs
      let shown = try FleetRequest.shown(session, action, of: filter)
      if try selection.confirmed(Int(shown.jobs), action) { filter.shown = shown }
      asked = try FleetRequest.ask(session, action, arguments, of: filter, in: selection.words, by: request.asker)
    } catch let ambiguous as FleetNameAmbiguous {
      throw CommandFailure(status: ExitCode(1), words: "\(ambiguous)")
    } catch let changed as FleetGroupChanged {
      throw CommandFailure(status: ExitCode(1), words: "\(changed)")
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
