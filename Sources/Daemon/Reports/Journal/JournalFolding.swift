import Jobs
import Messages

/// Decides which events get an entry of their own. The others are folded into one, because many of a kind came at once.
///
/// The first ``limit`` of one reason within ``window`` get entries of their own. Those that come after them, until the window ends,
/// become one ``Fold``. The time is a parameter: nothing here waits.
struct JournalFolding {
  struct Reason: Hashable, Sendable {
    let event: MessageIdentifier
    var spool: String?
    var step: Step?
    var kind: Failure.Kind?
    var status: Int?
    var code: String?
    /// The cause of a spool's problem.
    var cause: String?
  }

  struct Fold: Sendable {
    let reason: Reason
    let message: Message
    /// The reason in the first one's own words, if events of one cause are folded.
    let words: String?
    fileprivate(set) var count = 1
  }

  private struct Window {
    let end: Timestamp
    var told = 0
    var fold: Fold?
  }

  /// The number of events of one reason in a window that get entries of their own.
  static let limit = 20
  static let window: Duration = .seconds(10)
  /// The most reasons that are kept apart. Beyond them, events are folded by their kind alone.
  static let reasonLimit = 256

  private var windows: [Reason: Window] = [:]

  var nextEnd: Timestamp? { windows.values.lazy.filter { $0.fold != nil }.map(\.end).min() }

  /// Adds an event, at a time on the steady clock. Returns the entries to write, in this order: the fold of a window that has ended,
  /// then the event itself, unless it is folded.
  /// - Parameter message: the event's sentence, without the name of the file.
  mutating func add(
    _ event: Reason, _ message: Message, words: String? = nil, at now: Timestamp
  ) -> (ended: Fold?, isTold: Bool) {
    let reason = place(for: event, at: now)
    var ended: Fold?
    var window = windows[reason] ?? Window(end: now + Self.window)
    if window.end <= now {
      ended = window.fold
      window = Window(end: now + Self.window)
    }
    defer { windows[reason] = window }
    guard window.told == Self.limit else {
      window.told += 1
      return (ended, true)
    }
    if window.fold == nil {
      window.fold = Fold(reason: reason, message: message, words: reason == event ? words : nil)
    } else {
      window.fold?.count += 1
    }
    return (ended, false)
  }

  /// Ends the windows whose time is over, and returns what they folded, the earliest first.
  mutating func end(at now: Timestamp) -> [Fold] { end { $0.end <= now } }

  mutating func endAll() -> [Fold] { end { _ in true } }

  private mutating func end(where isOver: (Window) -> Bool) -> [Fold] {
    let over = windows.filter { isOver($0.value) }
    for reason in over.keys { windows[reason] = nil }
    return over.values.sorted { $0.end < $1.end }.compactMap(\.fold)
  }

  /// Returns the reason under which an event is counted: its own, or only its kind if there are too many reasons already.
  private mutating func place(for reason: Reason, at now: Timestamp) -> Reason {
    guard windows[reason] == nil, windows.count >= Self.reasonLimit else { return reason }
    windows = windows.filter { $0.value.end > now || $0.value.fold != nil }
    return windows.count < Self.reasonLimit ? reason : Reason(event: reason.event)
  }
}
