import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

/// A terminal on which events scroll past above a few lines that stay. These lines show the progress of large uploads,
/// and the number of jobs that proceed and wait.
///
/// To write, it removes these lines, writes the new text and draws them again. Nothing else knows about them.
actor FollowScreen {
  /// The maximum number of uploads that are shown; the others are counted.
  private static let mostTransfers = 5

  private let write: @Sendable (String) throws -> Void
  private let columns: @Sendable () -> Int
  private var status: StatusMessage?
  /// The number of lines that are below the events now.
  private var drawn = 0

  /// A screen that writes to `write`. `columns` is called each time, since a window may change its size.
  init(columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) throws -> Void) {
    self.columns = columns
    self.write = write
  }

  /// Writes a line above the lines that stay.
  func line(_ text: String) throws { try redraw(text + "\n") }

  /// Shows the present state of the daemon; nil if it is not known.
  func show(_ status: StatusMessage?) throws {
    self.status = status
    try redraw("")
  }

  /// Lets other code write a line in the place of the lines that stay.
  func apart(_ body: @Sendable () -> Void) throws {
    try write(cleared())
    body()
    try redraw("")
  }

  private func redraw(_ news: String) throws {
    let lines = status.map { Self.lines($0, now: .now, columns: columns()) } ?? []
    let erased = cleared()
    drawn = lines.count
    try write(erased + news + lines.map { $0 + "\n" }.joined())
  }

  /// Moves to the first of the lines and clears everything below (ECMA-48).
  private func cleared() -> String {
    defer { drawn = 0 }
    return drawn == 0 ? "" : "\u{1B}[\(drawn)F\u{1B}[0J"
  }

  /// The lines that stay, none wider than the terminal.
  static func lines(_ status: StatusMessage, now: Timestamp, columns: Int) -> [String] {
    var lines = status.transfers.prefix(mostTransfers).map {
      "  \($0.job) \(DisplayText.escape($0.name)): \(TransferWords.progress($0, now: now))"
    }
    let others = status.transfers.count - mostTransfers
    if others > 0 { lines.append("  and \(Words.count(others, "more large upload", "more large uploads"))") }
    lines.append(summary(status))
    // One column is left free: some terminals go to the next line as soon as the last column is used.
    return lines.map { TextWidth.fit($0, columns - 1) }
  }

  /// E.g. `uploading 3, registering 1; 14 queued, 2 awaiting confirmation; storage.main on hold: network`.
  private static func summary(_ status: StatusMessage) -> String {
    let active = status.activity
    let waits: [JobState] = [
      .queued, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted,
    ]
    let counts = waits.compactMap { state -> String? in
      guard let count = status.counts[state], count > 0 else { return nil }
      return "\(count) \(state.word)"
    }
    let holds =
      status.pauses.map { "\($0.destination) paused" }
      + status.gates.map { "\($0.destination) on hold: \($0.reason)" }
    let flow =
      active.upload +| active.register == 0 ? "idle" : "uploading \(active.upload), registering \(active.register)"
    return ([flow] + [counts, holds].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") })
      .joined(separator: "; ")
  }
}
