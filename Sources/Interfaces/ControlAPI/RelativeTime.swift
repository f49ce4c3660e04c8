public import Jobs

/// Points in time in the forms that people use: dates, days, or a span before now.
public enum RelativeTime {
  /// Reads `2026-11-21T01:02:03Z`, a date with or without a time of day, `today`, `yesterday`, or a span before now such as
  /// `1h`, `1h 30min` or `2h ago`, in systemd's units (systemd.time(7)).
  ///
  /// Days, and times without an offset, are by the clock that is ahead of UTC by `offset` seconds at a moment, in seconds since the
  /// Unix epoch. Returns nil for anything else.
  public static func read(
    _ text: some StringProtocol, now: Timestamp, offset: (Int64) -> Int = { _ in 0 }
  ) -> Timestamp? {
    if let time = Timestamp(rfc3339: text) ?? date(text).map({ moment($0, offset) }) { return time }
    let day = now.parts(ahead: offset(now.wholeSeconds))
    let today = Timestamp(year: day.year, month: day.month, day: day.day)
    switch text {
    case "now": return now
    case "today": return moment(today, offset)
    case "yesterday": return moment(today + .seconds(-86_400), offset)
    default: break
    }
    let ago = " ago"
    let span = Duration.read(text.hasSuffix(ago) ? String(text.dropLast(ago.count)) : String(text))
    return span.flatMap { $0 < longest ? now + (.zero - $0) : nil }
  }

  /// Returns the moment at which a clock shows what a clock in UTC shows at `reading`. Of an hour that is there twice it is the
  /// first one; a time that clocks skip is counted on from before they do.
  private static func moment(_ reading: Timestamp, _ offset: (Int64) -> Int) -> Timestamp {
    let seconds = reading.wholeSeconds
    let (before, after) = (offset(seconds - 86_400), offset(seconds + 86_400))
    let fitting = [before, after].filter { offset(seconds - Int64($0)) == $0 }
    return reading + .seconds(-(fitting.max() ?? before))
  }

  /// Reads a date in UTC: `2026-11-21`, `2026-11-21 01:02` or `2026-11-21 01:02:03`.
  private static func date(_ text: some StringProtocol) -> Timestamp? {
    switch text.utf8.count {
    case 10: Timestamp(rfc3339: text + "T00:00:00Z")
    case 16: Timestamp(rfc3339: text + ":00Z")
    case 19: Timestamp(rfc3339: text + "Z")
    default: nil
    }
  }

  /// A thousand years: far enough back, and safe to subtract.
  private static let longest = Duration.seconds(1000 * 365 * 86_400)
}
