import ArgumentParser
import ControlAPI
import Glibc
import Jobs
import LinuxFiles

/// `waybill watch`
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Events as they happen, until it is stopped.",
    discussion: """
      A line has the time, the number of the job (- where it is about none) and what happened. Where the daemon goes \
      away, the watch says so and goes on where it was once the daemon is back. It ends when it is stopped or nobody \
      reads it, which is no failure. waybill-page(8) tells a person of what it prints.

      On a terminal the last lines stay where they are, and are drawn anew each second: how far the uploads of files \
      from 8 MiB on have come, and what flows and waits. Elsewhere, with --json, and where TERM is dumb, there are none.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(
    help: ArgumentHelp(
      """
      Only events of this name; may be repeated, or have several with commas between. The names are \
      \(EventMessage.names.joined(separator: ", ")).
      """, valueName: "name"))
  var event: [String] = []
  @Option(
    help: ArgumentHelp(
      "First the events since this time: 2026-11-21T01:02:03Z, or so long ago as 90s, 1h 30min, 2d.",
      valueName: "time"))
  var since: TimeArgument?
  @Flag(help: "One JSON object a line, as the stream of the control socket has it.") var json = false

  func validate() throws {
    for name in names where !EventMessage.names.contains(name) {
      throw ValidationError("There is no event '\(name)'. There are \(EventMessage.names.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    endQuietlyOnSignals()
    let terminal = Terminal.standardOutput
    let screen =
      json || !terminal.canMove
      ? nil
      : WatchScreen(
        columns: { Terminal.standardOutput.columns ?? 80 }, write: { try StandardOutput().write($0) })
    let watch = EventWatch(
      client: try connection.client(calls: 2), names: names, form: json ? .json : .lines(terminal), screen: screen)
    try await watch.run(from: since.map { .since($0.timestamp) } ?? .now)
  }

  private var names: Set<String> {
    Set(event.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) })
  }

  /// Makes a stop by a signal no failure, since a watch ends that way. Nothing is half done then: each line is written at
  /// once.
  private func endQuietlyOnSignals() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
  }
}
