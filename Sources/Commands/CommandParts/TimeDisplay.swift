import Glibc
package import Jobs
package import Linux
package import Messages

/// Times as they are shown. Dates that are typed mean days in the zone of the process, in a pipe too.
package enum TimeDisplay {
  /// The zone of the times that are shown: at a terminal that of the process, in a pipe UTC.
  package static let shown: LocalTime = isatty(STDOUT_FILENO) == 1 ? .process : .utc

  /// Returns a time in RFC 3339 for a clock that is ahead of UTC by so many seconds, such as `2026-11-21T02:02:03+01:00`; with `Z` where
  /// that is none. It can be given to `--since` as it is.
  package static func text(_ time: Timestamp, ahead offset: Int) -> String {
    // Local mean times of the 19th century have seconds, which RFC 3339 cannot say.
    guard offset != 0, offset % 60 == 0 else { return time.rfc3339 }
    let minutes = abs(offset) / 60
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return (time + .seconds(offset)).rfc3339.dropLast() + (offset < 0 ? "-" : "+") + two(minutes / 60) + ":"
      + two(minutes % 60)
  }
}

extension Message {
  /// The message for a person, with its times as the person's other times are shown.
  package var shown: String {
    text(in: .english) { time in Timestamp(rfc3339: time).map { Words.time($0) } ?? time }
  }
}
