package import ControlAPI
package import Jobs
import Messages

/// The last sixty minutes, minute by minute, for a person who wants to see if the daemon makes progress.
package struct LastHour: Sendable {
  private struct Minute: Sendable {
    /// Counted on the steady clock.
    let number: Int64
    var uploaded = 0
    var registered = 0
    var bytes: Int64 = 0
    /// The number of unfinished jobs after the minute's last commit.
    var backlog = 0
    /// The most unfinished jobs at any time in the minute: at its beginning, or after one of its commits.
    var most = 0
  }

  static let length = 60

  private var minutes: [Minute] = []

  /// Counts a commit at a time of the steady clock.
  mutating func record(at time: Timestamp, uploaded: Int, registered: Int, bytes: Int64, backlog: Int) {
    let number = Self.number(of: time)
    // a commit is reported a moment after it was timed, maybe in the next minute
    if minutes.last.map({ $0.number < number }) ?? true {
      let before = minutes.last?.backlog ?? 0
      if minutes.count == Self.length { minutes.removeFirst() }
      minutes.append(Minute(number: number, most: before))
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
    var known = minutes[...]
    while let minute = known.first, minute.number < first { known.removeFirst() }
    // before its first commit the daemon had as many unfinished jobs as after it
    var before = minutes.last { $0.number < first }?.backlog ?? 0
    var messages: [ThroughputMessage.Minute] = []
    for number in first...max(first, last) {
      var minute = Minute(number: number, backlog: before, most: before)
      if let now = known.first, now.number == number {
        minute = now
        known.removeFirst()
      }
      if number == last {
        minute.backlog = backlog
        minute.most = max(minute.most, backlog)
      }
      before = minute.backlog
      messages.append(
        ThroughputMessage.Minute(
          at: MessageTime(Timestamp(microseconds: number * Self.microseconds) + offset), uploaded: minute.uploaded,
          registered: minute.registered, bytes: minute.bytes, backlog: minute.backlog, most: minute.most))
    }
    return ThroughputMessage(minutes: messages)
  }

  private static let microseconds: Int64 = 60_000_000

  private static func number(of time: Timestamp) -> Int64 { time.microseconds / microseconds }
}
