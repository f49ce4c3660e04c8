public import Jobs

/// Parses the `Retry-After` header (RFC 9110, 10.2.3): a number of seconds or an HTTP date.
public enum RetryAfter {
  /// Returns the time to wait from `now`; nil if the value is neither. A date in the past means no wait.
  public static func parse(_ value: String, now: Timestamp) -> Duration? {
    let text = value.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
      // A number that does not fit is longer than any wait.
      return .seconds(min(Int64(text) ?? .max, 1 << 40))
    }
    return HTTPDate.parse(text).map { max(.zero, $0 - now) }
  }
}

/// The three forms of a date in HTTP (RFC 9110, 5.6.7).
package enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov 6 08:49:37 1994`.
  package static func parse(_ text: String) -> Timestamp? {
    let words = text.split(separator: " ")
    switch words.count {
    case 6 where words[5] == "GMT": return point(words[3], words[2], words[1], words[4])
    case 5: return point(words[4], words[1], words[2], words[3])
    case 4 where words[3] == "GMT":
      let date = words[1].split(separator: "-")
      guard date.count == 3, let year = number(date[2], 0...99) else { return nil }
      // A two-digit year is after 2000, because the date is in the future or the recent past.
      return point(Substring(String(2000 + year)), date[1], date[0], words[2])
    default: return nil
    }
  }

  private static func point(
    _ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring
  ) -> Timestamp? {
    let clock = time.split(separator: ":")
    guard let year = number(year, 1970...9999), let month = months.firstIndex(of: String(month)),
      let day = number(day, 1...31), clock.count == 3,
      let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59), let second = number(clock[2], 0...60)
    else { return nil }
    return Timestamp(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
  }

  private static func number(_ digits: Substring, _ range: ClosedRange<Int>) -> Int? {
    guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = Int(digits), range.contains(value)
    else { return nil }
    return value
  }
}
