import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux
import Messages

/// Writes events to standard output, and continues after the same event when the daemon has been away.
struct EventFollower {
  let client: ControlClient
  let filter: EventFilter
  let text: @Sendable (EventMessage) -> String
  /// The screen on which lines stay below the events; nil if standard output is no terminal.
  let screen: FollowScreen?

  /// The time between two redraws of those lines, and between two checks for a reader.
  private static let beat = Duration.seconds(1)

  /// The time to wait before the next try to reach a daemon that has gone.
  private static let pause = Duration.milliseconds(500)

  /// Writes events until the output has no reader.
  /// - Throws: ``ControlError`` if no daemon answers at the start, or if it refuses; `FileError` if the output cannot be written, with
  ///   EPIPE if it has no reader.
  func run(from start: EventStart) async throws {
    let feed = try await client.events(from: start, filter)
    try await withThrowingTaskGroup { group in
      group.addTask { try await stream(feed, from: start) }
      group.addTask { try await awaitEndOfReader() }
      if let screen { group.addTask { try await refresh(screen) } }
      try await group.next()
      group.cancelAll()
    }
  }

  private func stream(_ first: EventFeed, from start: EventStart) async throws {
    var (feed, place) = (first, start)
    while true {
      let problem = try await write(feed, &place)
      try Task.checkCancellation()  // which ends a feed too
      try await report("\(problem?.description ?? "the daemon has gone"); the log goes on when it is back")
      feed = try await reopened(from: place)
    }
  }

  /// Waits until standard output has no reader, which no write would show while no event comes.
  private func awaitEndOfReader() async throws {
    while StandardOutput().hasReader { try await Task.sleep(for: Self.beat) }
    throw FileError("write", path: "standard output", errno: EPIPE)
  }

  private func refresh(_ screen: FollowScreen) async throws {
    while true {
      // Ignored: the stream of events reports that the daemon has gone; without the daemon there is nothing to show.
      try await screen.show(try? await client.status())
      try await Task.sleep(for: Self.beat)
    }
  }

  private func report(_ words: String) async throws {
    guard let screen else { return Output.error(words) }
    try await screen.line("waybill: " + words)
  }

  /// Writes a feed to its end and remembers the place that was reached. Returns the daemon's own reason for the end, if there
  /// is one.
  private func write(_ feed: EventFeed, _ place: inout EventStart) async throws -> ControlError? {
    do {
      for try await signal in feed {
        switch signal {
        case .event(let event):
          place = .after(event.sequence)
          try await write(event)
        case .position(let sequence):
          place = .after(sequence)
        case .reset:
          try await report("some events are missing here: the daemon does not keep them any more")
        }
      }
    } catch let error as ControlError {
      if case .unreadable = error { throw error }
      if case .problem = error { return error }
      // The connection was lost. A daemon that ends at once also causes this.
    }
    return nil
  }

  private func write(_ event: EventMessage) async throws {
    let text = text(event)
    if let screen { try await screen.line(text) } else { try StandardOutput().write(text + "\n") }
  }

  static func lines(_ event: EventMessage, _ terminal: Terminal) -> [String] {
    let time = Words.time(event.at)
    let job = DisplayText.escape(event.job.map { "\($0.reference)" } ?? event.host ?? "-")
    // A pause has no further reason.
    let reason = event.by == nil || event.job == nil ? nil : event.reason
    let words = DisplayText.escape(event.message.text) + (reason.map { ": " + DisplayText.escape($0.text) } ?? "")
    let start = "\(time) \(job) "
    // On a terminal that is too narrow even for the time and the job, nothing is folded.
    let width = terminal.columns.flatMap { $0 > start.count ? $0 : nil }
    let folded = Folded.lines(start + words, width: width, indent: time.count + 1)
    let style = style(event.event)
    let first =
      terminal.styled(time, .faint) + " \(job) " + terminal.styled(String(folded[0].dropFirst(start.count)), style)
    return [first] + folded.dropFirst().map { terminal.styled($0, style) }
  }

  private static func style(_ event: String) -> Terminal.Style {
    switch event {
    case "registered", "gate-opened", "ledger-recovered": .good
    case "deferred", "question", "gate-closed", "spool-overflow", "spool-problem": .attention
    case "aborted", "ledger-problem": .bad
    default: .plain
    }
  }

  private func reopened(from place: EventStart) async throws -> EventFeed {
    while true {
      do throws(ControlError) {
        return try await client.events(from: place, filter)
      } catch {
        switch error {
        case .noDaemon: break
        case .problem(let problem) where problem.status == 503: break
        default: throw error
        }
      }
      try await Task.sleep(for: Self.pause)
    }
  }
}
