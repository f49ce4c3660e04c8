import Jobs
import Settings
import Synchronization

/// One summary a day, for the receivers that want it. It is the sign of life of a daemon that has nothing else to say, so it is also
/// sent when nothing has happened.
extension Notices {
  /// The longest wait for a moment of the wall clock, which may be set meanwhile.
  private static let longestNap: Duration = .seconds(600)

  static func turn(_ settings: WebhookSettings, _ options: Options, _ now: Timestamp) -> SummaryTurn? {
    settings.summaryAt.map { SummaryTurn(minute: $0, zone: options.zone, now: now) }
  }

  /// The time of the next look at the wall clock, on the steady clock; nil if no receiver wants summaries.
  var summaryDue: Timestamp? {
    let now = parts.clock.now()
    return receivers.values.compactMap(\.turn).map { turn in
      parts.clock.steady() + min(max(turn.next - now, .zero), Self.longestNap)
    }.min()
  }

  /// Returns the receivers whose summary is due, as they were; each begins to count anew.
  func summariesDue() -> [Receiver] {
    let now = parts.clock.now()
    var due: [Receiver] = []
    for name in receivers.keys {
      guard receivers[name]?.turn?.isDue(now: now) == true, let receiver = receivers[name] else { continue }
      due.append(receiver)
      receivers[name]?.since = now
      receivers[name]?.before = registered.withLock { $0 }
    }
    return due
  }

  /// Makes the summary of a receiver whose turn it is.
  ///
  /// - Parameter receiver: the receiver as it was before its turn.
  func summarize(_ receiver: Receiver) async {
    let (now, total) = (parts.clock.now(), registered.withLock { $0 })
    let standing = await parts.standing()
    add(Notice(at: now, since: receiver.since, total - receiver.before, standing), to: receiver)
  }
}
