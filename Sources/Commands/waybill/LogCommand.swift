import ArgumentParser
import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux

/// `waybill log`
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the events and who caused them, the newest last.",
    discussion: """
      A line has the time, the number of the job (- if there is none), the event, the person and the reason. Without \
      --since, the last 100 events are shown. The daemon keeps the last 100,000 events; actions of people on a job, \
      and its failures, are kept as long as the job.

      With --follow the command continues until it is stopped, also across restarts of the daemon. On a terminal it \
      also shows the progress of large uploads, unless TERM is dumb. waybill-page(8) notifies a person of events.
      """)

  /// The number of events that are shown if nothing says how many.
  private static let usual = 100

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var events: EventOptions
  @Argument(
    help: ArgumentHelp(
      "Only of jobs whose file's name contains this text, or matches this shell pattern; as --name.", valueName: "name")
  )
  var file: String?
  @Option(help: ArgumentHelp("At or after this time. \(TimeArgument.forms)", valueName: "time"))
  var since: TimeArgument?
  @Option(help: ArgumentHelp("Before this time.", valueName: "time")) var until: TimeArgument?
  @Option(
    name: [.customShort("n"), .customLong("lines")],
    help: ArgumentHelp("The number of past events to show, the last ones, or all.", valueName: "number"))
  var lines: LineCount?
  @Flag(name: .shortAndLong, help: "Show new events as they happen.") var follow = false
  @Flag(help: .json) var json = false

  func validate() throws {
    if file != nil, events.name != nil { throw ValidationError("Give the name once: with --name, or without.") }
    if follow, until != nil { throw ValidationError("--follow and --until cannot be used together.") }
    if let since, let until, until.timestamp <= since.timestamp {
      throw ValidationError("--until has to be later than --since.")
    }
    _ = try events.filter()
  }

  func run() async throws {
    if follow { Self.endQuietlyOnSignals() }
    let client = try connection.client(calls: 2)
    var filter = try events.filter()
    if let file { filter.name = file }
    let form = json ? EventFollower.Form.json : .lines(.standardOutput)
    var ranged = filter
    ranged.since = since?.timestamp
    ranged.until = until?.timestamp
    let printer = LogPrinter(client: client, filter: ranged, form: form)
    let count = lines?.count ?? (lines == nil && since == nil ? Self.usual : nil)
    do {
      let last = if let count { try await printer.latest(count) } else { try await printer.all() }
      guard follow else {
        if printer.wasEmpty, !json { Output.line("No events.") }
        return
      }
      let follower = EventFollower(client: client, filter: filter, form: form, screen: screen)
      try await follower.run(from: .after(last))
    } catch let error as FileError {
      // As with every program in a pipe: nobody reads the output, so it need not be written.
      guard error.errno != EPIPE else { return }
      throw CommandFailure(status: ExitCode(1), words: "\(error)")
    }
  }

  /// The screen on which lines stay below the events; nil where none can.
  private var screen: FollowScreen? {
    guard !json, Terminal.standardOutput.canMove else { return nil }
    return FollowScreen(
      columns: { Terminal.standardOutput.columns ?? 80 }, write: { try StandardOutput().write($0) })
  }

  /// Makes a stop by a signal a success, because following normally ends that way. Nothing is half done then: each line is
  /// written at once.
  private static func endQuietlyOnSignals() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
  }
}

/// The number of lines that are wanted: a number, or all.
struct LineCount: ExpressibleByArgument {
  /// The number; nil for all.
  let count: Int?

  init?(argument: String) {
    if argument == "all" {
      count = nil
    } else {
      guard let count = Int(argument), count >= 0 else { return nil }
      self.count = count
    }
  }
}

/// Prints pages of the log, the oldest event first.
private final class LogPrinter {
  private let client: ControlClient
  private let filter: EventFilter
  private let form: EventFollower.Form
  /// True if nothing was printed.
  private(set) var wasEmpty = true

  init(client: ControlClient, filter: EventFilter, form: EventFollower.Form) {
    self.client = client
    self.filter = filter
    self.form = form
  }

  /// Prints every event. Returns the number of the last event that there was.
  func all() async throws -> Int64 {
    var query = LogQuery(filter: filter, order: .oldest, limit: LogQuery.limits.upperBound)
    while true {
      let page = try await page(query)
      try write(page.events)
      guard let next = page.next.flatMap({ Int64($0) }) else { return page.last }
      query.after = next
    }
  }

  /// Prints the last events, at most that many. Returns the number of the last event that there was.
  func latest(_ count: Int) async throws -> Int64 {
    var query = LogQuery(filter: filter, order: .newest)
    var found: [EventMessage] = []
    var last: Int64?
    repeat {
      // For no event at all, one is read for the number of the last.
      query.limit = min(max(count - found.count, 1), LogQuery.limits.upperBound)
      let page = try await page(query)
      found += page.events
      last = last ?? page.last
      query.after = page.next.flatMap { Int64($0) }
    } while query.after != nil && found.count < count
    try write(found.prefix(count).reversed())
    return last ?? 0
  }

  private func page(_ query: LogQuery) async throws -> LogPage {
    try await calling { () async throws(ControlError) in try await client.log(query) }
  }

  private func write(_ events: [EventMessage]) throws {
    guard !events.isEmpty else { return }
    wasEmpty = false
    try StandardOutput().write(events.map { form.text($0) + "\n" }.joined())
  }
}
