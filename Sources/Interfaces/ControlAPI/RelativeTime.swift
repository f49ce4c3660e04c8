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
    return duration(text.hasSuffix(ago) ? String(text.dropLast(ago.count)) : String(text)).map { now + (.zero - $0) }
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

  /// Reads a span such as `90s`, `1h 30min` or `2d`; a number without a unit counts seconds. Returns nil for anything else.
  public static func duration(_ text: some StringProtocol) -> Duration? {
    var rest = text[...]
    var total: Int64 = 0
    rest = rest.drop(while: { $0 == " " })
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix(while: { $0.isASCII && $0.isNumber })
      rest = rest.dropFirst(digits.count).drop(while: { $0 == " " })
      let unit = rest.prefix(while: { $0.isASCII && $0.isLetter })
      rest = rest.dropFirst(unit.count).drop(while: { $0 == " " })
      guard let count = Int64(digits), let length = length(of: unit) else { return nil }
      let (part, overflow) = count.multipliedReportingOverflow(by: length)
      let (sum, sumOverflow) = total.addingReportingOverflow(part)
      guard !overflow, !sumOverflow, sum < longest else { return nil }
      total = sum
    }
    return .microseconds(total)
  }

  /// A thousand years: far enough back, and safe to subtract.
  private static let longest: Int64 = 1000 * 365 * 86_400 * 1_000_000

  private static func length(of unit: some StringProtocol) -> Int64? {
    switch unit {
    case "us", "usec": 1
    case "ms", "msec": 1000
    case "", "s", "sec", "second", "seconds": 1_000_000
    case "m", "min", "minute", "minutes": 60_000_000
    case "h", "hr", "hour", "hours": 3_600_000_000
    case "d", "day", "days": 86_400_000_000
    case "w", "week", "weeks": 7 * 86_400_000_000
    default: nil
    }
  }
}
