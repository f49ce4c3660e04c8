import ArgumentParser
import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the events and who caused them, the newest last.",
    discussion: """
      A line has the time, the number of the job (- if there is none), the event, the person and the reason. Without \
      --since, the last 100 events are shown. The daemon keeps events of a job as long as the job, others among the \
      last 100,000 events.

      With --follow the command continues until it is stopped, also across restarts of the daemon. On a terminal it \
      also shows the progress of large uploads, unless TERM is dumb. waybill-page(8) notifies a person of events.
      """)

  /// The number of events that are shown if nothing says how many.
  private static let usual = 100

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var scope: ScopeOptions
  @OptionGroup var range: RangeOptions
  @Option(
    help: ArgumentHelp(
      """
      Only actions of this user: a name as the events show it, or a user id; '*' is any person. May be repeated, or \
      list several with commas.
      """, valueName: "user"))
  var by: [String] = []
  @Option(
    help: ArgumentHelp(
      """
      Only events of this name. May be repeated, or list several with commas: \
      \(EventMessage.names.joined(separator: ", ")).
      """, valueName: "name"))
  var event: [String] = []
  @Option(
    help: ArgumentHelp(
      "Only of this destination, such as storage.main: the steps of jobs there, its gate and its pauses.",
      valueName: "name"))
  var destination: String?
  @Option(
    name: [.customShort("n"), .customLong("lines")],
    help: ArgumentHelp("The number of past events to show, the last ones, or all.", valueName: "number"))
  var lines: LineCount?
  @Flag(name: .shortAndLong, help: "Show new events as they happen.") var follow = false
  @Flag(help: .json) var json = false

  func validate() throws {
    if follow, range.until != nil { throw ValidationError("--follow and --until cannot be used together.") }
    _ = try filter()
  }

  func run() async throws {
    if follow { Self.endQuietlyOnSignals() }
    let client = try connection.client(calls: 2)
    let count = lines?.count ?? (lines == nil && range.since == nil ? Self.usual : nil)
    do {
      let (last, isEmpty) = try await printPast(count, client)
      guard follow else {
        if isEmpty, !json, count != 0 { Output.line("No events.") }
        return
      }
      let follower = EventFollower(client: client, filter: try filter(), text: text, screen: screen)
      try await follower.run(from: .after(last))
    } catch let error as FileError {
      // As with every program in a pipe: nobody reads the output, so it need not be written.
      guard error.errno == EPIPE else { throw error }
    }
  }

  private func filter() throws -> EventFilter {
    var filter = EventFilter()
    filter.hosts = Set(scope.host)
    let users = by.commaSeparated
    guard !users.contains("") else { throw ValidationError("--by needs the name or the id of a user, or '*'.") }
    filter.by = users.isEmpty ? nil : users.contains("*") ? .anyone : .named(Set(users))
    filter.events = Set(event.commaSeparated)
    if let event = filter.events.subtracting(EventMessage.names).min() {
      throw ValidationError(
        "There is no event '\(event)'. The events are: \(EventMessage.names.joined(separator: ", ")).")
    }
    guard destination != "" else { throw ValidationError("--destination needs a value.") }
    (filter.spool, filter.destination, filter.name) = (scope.spool, destination, scope.name)
    return filter
  }

  /// Prints past events, the oldest first: the last ones, so many; or all.
  /// - Returns: the number of the last event that there was, and true if none was printed.
  private func printPast(
    _ count: Int?, _ client: ControlClient
  ) async throws -> (last: Int64, isEmpty: Bool) {
    var filter = try filter()
    (filter.since, filter.until) = (range.since?.timestamp, range.until?.timestamp)
    var query = LogQuery(filter: filter, order: count == nil ? .oldest : .newest)
    var newest: [EventMessage] = []
    var (last, isEmpty) = (nil as Int64?, true)
    func write(_ events: [EventMessage]) throws {
      guard !events.isEmpty else { return }
      isEmpty = false
      try StandardOutput().write(events.map { text($0) + "\n" }.joined())
    }
    repeat {
      // For no event at all, one is read for the number of the last.
      query.limit = min(max((count ?? .max) - newest.count, 1), LogQuery.limits.upperBound)
      let page = try await client.log(query)
      query.after = page.next.flatMap { Int64($0) }
      if count == nil {
        last = page.last
        try write(page.events)
      } else {
        last = last ?? page.last
        newest += page.events
      }
    } while query.after != nil && newest.count < count ?? .max
    try write(newest.prefix(count ?? 0).reversed())
    return (last ?? 0, isEmpty)
  }

  private var text: @Sendable (EventMessage) -> String {
    if json { return { TerminalSafe.json(String(decoding: $0.json(), as: UTF8.self)) } }
    return { EventFollower.lines($0, .standardOutput).joined(separator: "\n") }
  }

  /// The screen on which lines stay below the events; nil where none can.
  private var screen: FollowScreen? {
    guard !json, Terminal.standardOutput.canMove else { return nil }
    return FollowScreen(
      columns: { Terminal.standardOutput.columns ?? 80 }, write: { try StandardOutput().write($0) })
  }

  /// Makes a stop by a signal a success, because following normally ends that way. Nothing is half done then: each line is
  /// written at once.
  static func endQuietlyOnSignals() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
  }
}
