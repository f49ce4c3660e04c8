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
  private var drawn = 0

  /// A screen that writes to `write`. `columns` is called each time, since a window may change its size.
  init(columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) throws -> Void) {
    self.columns = columns
    self.write = write
  }

  func line(_ text: String) throws { try redraw(text + "\n") }

  func show(_ status: StatusMessage?) throws {
    self.status = status
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

  static func lines(_ status: StatusMessage, now: Timestamp, columns: Int) -> [String] {
    var lines = status.transferLines(atMost: mostTransfers, now).map { "  " + $0 }
    lines.append("\(status.activity.inWords); jobs: \(status.counts.inWords)")
    // One column is left free: some terminals go to the next line as soon as the last column is used.
    return lines.map { TextWidth.fit($0, columns - 1) }
  }
}

extension StatusMessage {
  func transferLines(atMost most: Int, _ now: Timestamp) -> [String] {
    let lines = transfers.prefix(most).map { "\($0.job) \(DisplayText.escape($0.name)): \($0.progress(now))" }
    let others = transfers.count - most
    return lines + (others > 0 ? ["and \(Words.count(others, "more large upload", "more large uploads"))"] : [])
  }
}

extension StatusMessage.Activity {
  /// E.g. `uploading 3, registering 1`.
  var inWords: String { upload +| register == 0 ? "idle" : "uploading \(upload), registering \(register)" }
}

extension StatusMessage.Transfer {
  /// The progress of a large upload, e.g. `45 % of 7.0 GiB, 12.0 MiB/s, 5min left`.
  func progress(_ now: Timestamp) -> String {
    let share = size > 0 ? min(1, max(0, Double(sent) / Double(size))) : 1
    var words = "\(Int(share * 100)) % of \(Words.bytes(size))"
    let seconds = (now - since).wholeSeconds
    guard seconds > 0, sent > 0 else { return words }
    let pace = sent / seconds
    words += ", \(Words.bytes(pace))/s"
    if pace > 0 { words += ", \(Words.age(.seconds(max(0, size -| sent) / pace))) left" }
    return words
  }
}
