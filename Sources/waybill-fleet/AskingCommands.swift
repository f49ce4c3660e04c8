import ArgumentParser
import CommandParts
import Fleet
import FoundationEssentials
import Glibc
import Jobs
import LinuxFiles
import PostgreSQL
import Settings

/// The options of a command that is carried out elsewhere.
struct RequestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The time in which a host that is away may still carry it out, in hours.", valueName: "hours"))
  var expires = 24
  @Option(help: ArgumentHelp("The time to wait for the hosts, in seconds.", valueName: "seconds")) var wait = 15
  @Flag(help: "Do not ask before a command about 20 jobs or more.") var yes = false
  @Flag(help: "List the jobs that the command would affect, and do nothing.") var dryRun = false
  @Flag(help: "What became of it, as JSON.") var json = false

  func validate() throws {
    guard (1...24 * 365).contains(expires) else { throw ValidationError("--expires needs a number of hours.") }
    guard (0...3600).contains(wait) else { throw ValidationError("--wait needs a number of seconds up to 3600.") }
  }

  /// The person at the terminal, as the hosts' histories will name them.
  static var person: String { UserName.of(getuid()).replacing(",", with: "_") }

  /// The person, and the time that hosts have.
  var asker: FleetRequest.Asker { FleetRequest.Asker(Self.person, expiresIn: Int64(expires) * 3600) }

  /// Waits for the hosts and says what became of a request.
  ///
  /// - Throws: ``Failure`` unless all of it is done.
  func follow(_ request: FleetRequest, _ session: PostgreSQLSession) throws {
    try Self.follow(request, session, wait: wait, json: json)
  }

  /// The same for so many seconds.
  static func follow(_ request: FleetRequest, _ session: PostgreSQLSession, wait: Int, json: Bool) throws {
    guard request.count > 0 else { throw Failure(status: ExitCode(1), words: "no job is meant") }
    let deadline = ContinuousClock.now + .seconds(wait)
    var progress = try request.progress(session)
    while progress.open > 0, ContinuousClock.now < deadline {
      usleep(200_000)
      progress = try request.progress(session)
    }
    if json { try Output.json(progress) } else { Output.line(Words.shown(progress.words)) }
    for refusal in progress.refusals { Output.plainError(Words.shown(refusal)) }
    if progress.open > 0 {
      Output.plainError("what becomes of it: waybill fleet requests \(request.shown)")
      throw Failure(status: Failure.pending, words: nil)
    }
    if progress.outcomes["done"] != request.count { throw Failure(status: ExitCode(1), words: nil) }
  }

  /// Asks y/N on a terminal before a command about many jobs.
  func confirmed(_ count: Int, _ action: String) throws {
    guard count >= 20, !yes else { return }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw ValidationError("\(action) is about \(count) jobs: say --yes.")
    }
    Output.prompt("\(action) \(count) jobs? [y/N] ")
    guard let answer = readLine(), answer.lowercased().hasPrefix("y") else {
      throw Failure(status: ExitCode(1), words: "nothing was asked for")
    }
  }
}

/// The jobs that a command is about.
struct JobsOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("HOST/NUMBER, or a job's id.", valueName: "job")) var jobs: [String] = []
  @Flag(help: "All jobs that the command is for.") var all = false
  @OptionGroup var filter: FleetFilterOptions

  /// The jobs in words, as they were asked for.
  var words: String {
    if all { return "--all" }
    return jobs.isEmpty ? filter.words : jobs.joined(separator: " ")
  }

  func validate() throws { _ = try named() }

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
    let filter = try selection.selection(session)
    let count = try FleetRequest.count(session, action, of: filter)
    if request.dryRun {
      let found = try FleetView.jobs(session, FleetRequest.meant(action, filter), limit: 1000)
      for line in FleetJobTable.lines(found.jobs) { Output.line(line) }
      return Output.line("\(action) would affect \(Words.count(count, "job", "jobs")); nothing was done.")
    }
    try request.confirmed(count, action)
    let asked = try FleetRequest.ask(
      session, action, arguments, of: filter, in: selection.words, by: request.asker)
    try request.follow(asked, session)
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

/// `waybill-fleet pause`
struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Start nothing new, on all hosts or on one.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var target: PauseOptions
  @OptionGroup var request: RequestOptions
  func run() throws { try target.run("pause", options, request) }
}

/// `waybill-fleet resume`
struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "End a pause, on all hosts or on one.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var target: PauseOptions
  @OptionGroup var request: RequestOptions
  func run() throws { try target.run("resume", options, request) }
}

/// The target of a pause.
struct PauseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("On this host alone.", valueName: "host")) var host: String?
  @Argument(
    help: ArgumentHelp("all, intake, spool.NAME, storage.NAME or backend.NAME.", valueName: "target"))
  var target = "all"

  func run(_ action: String, _ options: FleetOptions, _ request: RequestOptions) throws {
    let known = ["spool.", "storage.", "backend."].contains { target.hasPrefix($0) && target != $0 }
    guard known || target == "all" || target == "intake" else {
      throw ValidationError("There is no target '\(target)': all, intake, spool.NAME, storage.NAME or backend.NAME.")
    }
    let session = try options.fleet()
    let asked = try FleetRequest.pause(
      session, action, target: target, host: host, by: request.asker)
    guard asked.count > 0 else { throw Failure(status: ExitCode(1), words: "there is no such host") }
    try request.follow(asked, session)
  }
}

/// `waybill-fleet forget`
struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Remove a host that is gone for good from the fleet.",
    discussion: "Nothing happens on the host. If its agent still runs, the host comes back by itself.")
  @OptionGroup var options: FleetOptions
  @Argument(help: ArgumentHelp("The host's name, or the uuid of its ledger.", valueName: "host")) var host: String

  func run() throws {
    let count = try FleetView.forget(try options.fleet(), host: host)
    guard count > 0 else { throw Failure(status: ExitCode(1), words: "there is no host \(Words.shown(host))") }
    Output.line("\(Words.shown(host)) is forgotten")
  }
}

/// `waybill-fleet ask`
struct AskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Go through the open questions of all hosts, group by group.",
    discussion: "Questions of one destination for one reason are one group, and have one answer.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var request: RequestOptions

  func run() throws {
    let session = try options.fleet()
    let groups = try FleetView.groups(session, FleetView.questions)
    if groups.isEmpty { return Output.line("No questions.") }
    for group in groups {
      let hosts = group.hosts == 1 ? "1 host" : "\(group.hosts) hosts"
      Output.line(
        "\(group.jobs) at \(Words.shown(group.key.destination ?? "-")) on \(hosts), e.g. \(Words.shown(group.first)): "
          + Words.shown(group.shown))
      Output.prompt("[r]etry, [c]ancel, [s]kip, [q]uit? ")
      let action: String
      switch readLine()?.first {
      case "r": action = "confirm"
      case "c": action = "cancel"
      case "q", nil: return
      default: continue
      }
      var filter = FleetFilter()
      filter.group = group.key
      let asked = try FleetRequest.ask(
        session, action, of: filter, in: "\(group.key.destination.map { $0 + ": " } ?? "")\(group.shown)",
        by: request.asker)
      do {
        try request.follow(asked, session)
      } catch let failure as Failure {
        // the sentence has been printed; the next group is another matter
        if let words = failure.words { Output.error(words) }
      }
    }
  }
}
