package import Jobs
import Messages

/// The rule for a silent spool: no file has come within the expected time.
package enum Silence {
  /// Returns the time without files if it is too long; otherwise nil.
  ///
  /// - Parameters:
  ///   - last: the last arrival, or the beginning of the wait for the first one. A time ahead of now, from before the clock was set back,
  ///     counts as now.
  ///   - activeSince: the time since which this host takes files from the spool again; nil if it always did.
  ///   - every: the time within which a file is expected.
  package static func standing(
    now: Timestamp, last: Timestamp, activeSince: Timestamp?, every: Duration
  ) -> Duration? {
    let last = min(last, now)
    let begin = max(last, min(activeSince ?? last, now))
    return now - begin > every ? now - last : nil
  }

  /// The time in units that do not change with each look: minutes, and hours from a day on.
  package static func rounded(_ time: Duration) -> Duration {
    let unit: Int64 = time >= .seconds(86_400) ? 3600 : 60
    return .seconds(time.wholeSeconds / unit * unit)
  }
}
