package import ControlAPI
package import Jobs
import Messages

/// The last sixty minutes, minute by minute, for a person who wants to see if the daemon makes progress.
package struct LastHour: Sendable {
  static let length = 60

  /// Each begins at a time of the steady clock.
  private var minutes: [ThroughputMessage.Minute] = []

  /// Counts a commit at a time of the steady clock.
  mutating func record(at time: Timestamp, uploaded: Int, registered: Int, bytes: Int64, backlog: Int) {
    let number = Self.number(of: time)
    // a commit is reported a moment after it was timed, maybe in the next minute
    if minutes.last.map({ $0.number < number }) ?? true {
      let before = minutes.last?.backlog ?? 0
      if minutes.count == Self.length { minutes.removeFirst() }
      minutes.append(Self.minute(number, backlog: before))
    }
    let last = minutes.count - 1
    minutes[last].uploaded += uploaded
    minutes[last].registered += registered
    minutes[last].bytes +|= bytes
    minutes[last].backlog = backlog
    minutes[last].most = max(minutes[last].most, backlog)
  }

  /// Returns the minutes up to a time, the oldest first: from the start on, or from an earlier run of the daemon on. A minute without a
  /// commit has the backlog of the one before it.
  ///
  /// - Parameter offset: the difference between the wall-clock time and the steady clock.
  package func message(at time: Timestamp, since start: Timestamp, offset: Duration, backlog: Int) -> ThroughputMessage
  {
    let last = Self.number(of: time)
    let oldest = min(Self.number(of: start), minutes.first?.number ?? .max)
    let first = max(last - Int64(Self.length) + 1, oldest)
    // before its first commit the daemon had as many unfinished jobs as after it
    var before = minutes.last { $0.number < first }?.backlog ?? 0
    let known = Dictionary(minutes.map { ($0.number, $0) }, uniquingKeysWith: { _, last in last })
    let shown = (first...max(first, last)).map { number in
      var minute = known[number] ?? Self.minute(number, backlog: before)
      if number == last {
        minute.backlog = backlog
        minute.most = max(minute.most, backlog)
      }
      before = minute.backlog
      minute.at = minute.at + offset
      return minute
    }
    return ThroughputMessage(minutes: shown)
  }

  private static let microseconds: Int64 = 60_000_000

  fileprivate static func number(of time: Timestamp) -> Int64 { time.microseconds / microseconds }

  /// A minute without work, which begins with what the one before left.
  private static func minute(_ number: Int64, backlog: Int) -> ThroughputMessage.Minute {
    .init(
      at: Timestamp(microseconds: number * microseconds), uploaded: 0, registered: 0, bytes: 0,
      backlog: backlog, most: backlog)
  }
}

extension ThroughputMessage.Minute {
  fileprivate var number: Int64 { LastHour.number(of: at) }
}
