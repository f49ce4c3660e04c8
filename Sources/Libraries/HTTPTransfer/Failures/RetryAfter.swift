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

/// A date in HTTP (RFC 9110, 5.6.7), without its two obsolete forms.
package enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func parse(_ text: String) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT" else { return nil }
    let clock = words[4].split(separator: ":")
    guard let day = number(words[1], 1...31), let month = months.firstIndex(of: String(words[2])),
      let year = number(words[3], 1970...9999), clock.count == 3,
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
