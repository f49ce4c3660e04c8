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

  /// A summary that is due: its receiver, and what it tells of the time since the last one.
  struct DueSummary {
    let receiver: Receiver
    let since: Timestamp
    let at: Timestamp
    let registered: DailySummary.Registered
  }

  /// Returns the summaries that are due. What comes from now on is for the next ones.
  func summariesDue() -> [DueSummary] {
    let (now, total) = (parts.clock.now(), registered.withLock { $0 })
    var due: [DueSummary] = []
    for name in receivers.keys {
      guard receivers[name]?.turn?.isDue(now: now) == true, let receiver = receivers[name] else { continue }
      due.append(
        DueSummary(receiver: receiver, since: receiver.since, at: now, registered: total - receiver.before))
      receivers[name]?.since = now
      receivers[name]?.before = total
    }
    return due
  }

  /// Makes a summary that is due, and puts it into its receiver's queue.
  func summarize(_ due: DueSummary) async {
    let standing = await parts.standing()
    add(Notice(at: due.at, since: due.since, due.registered, standing), to: due.receiver)
  }
}
