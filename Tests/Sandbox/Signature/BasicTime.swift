import FoundationEssentials

/// The forms of time that S3 writes: `20261121T010203Z` in requests, `2026-11-21T01:02:03.456Z` in answers.
enum BasicTime {
  /// Reads the form without separators, and nothing else.
  static func parse(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return value
    }
    guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), let hour = number(9..<11),
      let minute = number(11..<13), let second = number(13..<15)
    else { return nil }
    return calendar.date(
      from: DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second))
  }

  static func basic(_ date: Date) -> String {
    extended(date).prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  /// Writes the form that HTTP headers have (RFC 9110, 5.6.7): `Sat, 21 Nov 2026 01:02:03 GMT`.
  static func header(_ date: Date) -> String {
    let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
    func two(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(parts.weekday ?? 1) - 1]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let day = "\(weekday), \(two(parts.day)) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 0)"
    return "\(day) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
  }

  private static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  /// Writes the form with separators and milliseconds.
  static func extended(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
