import ArgumentParser
import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux

/// `waybill watch`
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show events as they happen, until stopped.",
    discussion: """
      A line has the time, the number of the job (- if the event is about no job) and what happened. If the daemon \
      goes away, the command says so, and goes on where it was once the daemon is back. It ends when it is stopped \
      or nobody reads its output; neither is a failure. To have a person notified of events, see waybill-page(8).

      On a terminal the last lines stay in place and are redrawn every second. They show the progress of uploads of \
      files from 8 MiB on, and the jobs that are in flight or wait. Without a terminal, with --json or if TERM is \
      dumb, these lines are left out.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var events: EventOptions
  @Option(help: ArgumentHelp("Begin with the events since this time. \(TimeArgument.forms)", valueName: "time"))
  var since: TimeArgument?
  @Flag(help: "One JSON object a line, as in the event stream of the control socket.") var json = false

  func validate() throws { _ = try events.filter() }

  func run() async throws {
    Self.endQuietlyOnSignals()
    let terminal = Terminal.standardOutput
    let screen =
      json || !terminal.canMove
      ? nil
      : WatchScreen(
        columns: { Terminal.standardOutput.columns ?? 80 }, write: { try StandardOutput().write($0) })
    let watch = EventWatch(
      client: try connection.client(calls: 2), filter: try events.filter(), form: json ? .json : .lines(terminal),
      screen: screen)
    try await watch.run(from: since.map { .since($0.timestamp) } ?? .now)
  }

  /// Makes a stop by a signal a success, because a watch normally ends that way. Nothing is half done then: each line is written
  /// at once.
  static func endQuietlyOnSignals() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
  }
}
