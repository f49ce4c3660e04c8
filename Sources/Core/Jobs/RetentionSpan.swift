/// The time that an object must be kept, by the calendar: `90d`, `6 months`, `7y`.
public struct RetentionSpan: Hashable, Sendable {
  /// A unit of the calendar.
  public enum Unit: Hashable, Sendable {
    /// 24 hours.
    case days
    /// The same day of a later month.
    case months
    /// The same day of a later year.
    case years
  }

  /// The number of units, 1 … 36,500.
  public var count: Int
  /// The unit.
  public var unit: Unit

  /// The largest number of units; S3 takes at most 100 years of days ("Object Lock" in the S3 user guide).
  public static let most = 36_500

  /// Reads a span; nil for a text that is none.
  public init?(_ text: String) {
    let digits = text.prefix { ("0"..."9").contains($0) }
    guard (1...5).contains(digits.count), let count = Int(digits), (1...Self.most).contains(count) else { return nil }
    self.count = count
    switch text.dropFirst(digits.count).drop(while: { $0 == " " }) {
    case "d", "day", "days": unit = .days
    case "month", "months": unit = .months
    case "y", "year", "years": unit = .years
    default: return nil
    }
    guard count <= Self.most(of: unit) else { return nil }
  }

  /// About a hundred years.
  private static func most(of unit: Unit) -> Int {
    switch unit {
    case .days: most
    case .months: 1200
    case .years: 100
    }
  }

  /// Returns the end of the span, rounded up to whole seconds and never too early: a day that the month does not have runs on
  /// into the next month, so that a month from January 31 ends on March 3, or on March 2 in a leap year.
  public func end(from start: Timestamp) -> Timestamp {
    let parts = start.utc
    var (year, month, day) = (parts.year, parts.month, parts.day)
    switch unit {
    case .days: day += 0
    case .months:
      year += (month - 1 + count) / 12
      month = (month - 1 + count) % 12 + 1
    case .years: year += count
    }
    let end = Timestamp(
      year: year, month: month, day: 1, hour: parts.hour, minute: parts.minute, second: parts.second)
    let days = day - 1 + (unit == .days ? count : 0)
    return Timestamp(seconds: end.wholeSeconds + Int64(days) * 86_400 + (parts.microsecond > 0 ? 1 : 0))
  }
}
