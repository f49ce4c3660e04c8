import Messages

extension Timestamp {
  /// The parts of a point in time in UTC, by the proleptic Gregorian calendar. Months and days begin with 1.
  public struct CalendarParts: Equatable, Sendable {
    /// The year, e.g. 2026, and its parts.
    public var year, month, day, hour, minute, second, microsecond: Int
  }

  package var utc: CalendarParts {
    let seconds = microseconds.floorDivided(by: 1_000_000)
    let days = seconds.quotient.floorDivided(by: 86_400)
    let date = Self.civil(daysSinceEpoch: Int(days.quotient))
    let secondOfDay = Int(days.remainder)
    return CalendarParts(
      year: date.year, month: date.month, day: date.day,
      hour: secondOfDay / 3600, minute: secondOfDay / 60 % 60, second: secondOfDay % 60,
      microsecond: Int(seconds.remainder))
  }

  /// Returns year to microsecond by a clock that is ahead of UTC by so many seconds.
  public func parts(ahead offset: Int) -> CalendarParts {
    Timestamp(microseconds: microseconds +| Int64(offset) *| 1_000_000).utc
  }

  /// The whole seconds since the Unix epoch, rounded down.
  public var wholeSeconds: Int64 { microseconds.floorDivided(by: 1_000_000).quotient }

  /// RFC 3339 in UTC to the second, e.g. `2026-11-21T01:02:03Z`.
  public var rfc3339: String { text(date: "-", time: ":") }

  /// RFC 3339 in UTC to the millisecond, e.g. `2026-11-21T01:02:03.456Z`.
  public var rfc3339Milliseconds: String { text(date: "-", time: ":", hasMilliseconds: true) }

  /// The basic format of ISO 8601 that AWS signatures use, e.g. `20261121T010203Z`.
  public var iso8601Basic: String { text(date: "", time: "") }

  /// Returns date and time in UTC to the second or the millisecond, with these marks between their parts.
  private func text(date: String, time: String, hasMilliseconds: Bool = false) -> String {
    let parts = utc
    // Strings that are concatenated cost twice as much, and a job has several times.
    var text = Array(parts.year.padded(4).utf8)
    func add(_ mark: String, _ number: Int) {
      text += mark.utf8
      text.append(UInt8(ascii: "0") + UInt8(number / 10))
      text.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
    add(date, parts.month)
    add(date, parts.day)
    add("T", parts.hour)
    add(time, parts.minute)
    add(time, parts.second)
    if hasMilliseconds { text += ("." + (parts.microsecond / 1000).padded(3)).utf8 }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// Creates a point in time from a UTC date and time of day.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    let days = Int64(Self.days(year: year, month: month, day: day))
    self.init(seconds: days *| 86_400 +| Int64(hour * 3600 + minute * 60 + second))
  }

  /// Converts days since 1970-01-01 to year, month and day. It counts years from March, so that a leap day comes last.
  private static func civil(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = daysSinceEpoch + 719_468  // days since 0000-03-01
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func days(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let marchMonth = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int {
  /// Returns the decimal digits with leading zeros up to a width.
  public func padded(_ width: Int) -> String {
    var digits = String(self)
    while digits.utf8.count < width { digits = "0" + digits }
    return digits
  }
}

extension Int64 {
  /// Divides and rounds down, so that the parts of times before 1970 are in their usual ranges too.
  fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension Timestamp {
  /// Reads a date and time in the form of RFC 3339 (section 5.6), e.g. `2026-11-21T01:02:03.5+01:00`; nil for anything else.
  ///
  /// Digits beyond microseconds are cut off. A space before the offset stands for a `+`, which a form's decoding turns into a
  /// space. A leap second counts as the first second of the next minute.
  public init?(rfc3339 text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    guard let year = rest.removeNumber(4), rest.remove("-"), let month = rest.removeNumber(2), rest.remove("-"),
      let day = rest.removeNumber(2), rest.remove("Tt "), let hour = rest.removeNumber(2), rest.remove(":"),
      let minute = rest.removeNumber(2), rest.remove(":"), let second = rest.removeNumber(2), (1...12).contains(month),
      hour < 24, minute < 60, second <= 60, let fraction = rest.removeFraction(), let offset = rest.removeOffset(),
      rest.isEmpty
    else { return nil }
    let date = Timestamp(year: year, month: month, day: day)
    // A day that the month does not have is one of another month.
    guard date.utc.month == month else { return nil }
    let seconds = Int64(hour * 3600 + (minute - offset) * 60 + second)
    self.init(microseconds: date.microseconds + seconds * 1_000_000 + fraction)
    // In UTC the time may fall into a year that the form has no digits for.
    guard (0...9999).contains(utc.year) else { return nil }
  }
}

/// Removes the parts of a time from the beginning of its text.
extension ArraySlice<UInt8> {
  /// Removes one of these ASCII characters; returns false if none is there.
  fileprivate mutating func remove(_ marks: String) -> Bool {
    guard let first, marks.utf8.contains(first) else { return false }
    removeFirst()
    return true
  }

  /// Removes a number of exactly that many digits.
  fileprivate mutating func removeNumber(_ count: Int) -> Int? {
    let digits = prefix(count)
    guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
    removeFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Removes `.` and digits, if they are there; returns them as microseconds.
  fileprivate mutating func removeFraction() -> Int64? {
    guard remove(".") else { return 0 }
    let digits = prefix(while: \.isDigit)
    removeFirst(digits.count)
    let known = digits.prefix(6)
    let shown = known.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return digits.isEmpty ? nil : (known.count..<6).reduce(shown) { value, _ in value * 10 }
  }

  /// Removes `Z` or `±HH:MM`; returns the minutes.
  fileprivate mutating func removeOffset() -> Int? {
    if remove("Zz") { return 0 }
    let isNegative = first == UInt8(ascii: "-")
    guard remove("+- "), let hours = removeNumber(2), remove(":"), let minutes = removeNumber(2), hours < 24,
      minutes < 60
    else { return nil }
    return isNegative ? -(hours * 60 + minutes) : hours * 60 + minutes
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
