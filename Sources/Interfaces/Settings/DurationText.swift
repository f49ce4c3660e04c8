/// Spans of time in systemd's form (systemd.time(7)): `500ms`, `1h 30min`, `1.5s`; a number without a unit means seconds.
enum DurationText {
  private static let units: [String: Int64] = {
    let (second, day): (Int64, Int64) = (1_000_000, 86_400_000_000)
    let names: [(String, Int64)] = [
      ("usec us μs µs", 1), ("msec ms", 1_000), ("seconds second sec s", second),
      ("minutes minute min m", 60 * second), ("hours hour hr h", 3600 * second), ("days day d", day),
      ("weeks week w", 7 * day),
      // systemd counts a month as 30.44 days and a year as 365.25.
      ("months month M", 2_629_800 * second), ("years year y", 31_557_600 * second),
    ]
    var units: [String: Int64] = [:]
    for (words, factor) in names {
      for word in words.split(separator: " ") { units[String(word)] = factor }
    }
    return units
  }()

  /// Returns the span, to the microsecond; nil for a text that is no span, and for a span that is too long.
  static func parse(_ text: String) -> Duration? {
    var total: Int64 = 0
    var rest = text.drop(while: \.isBlank)
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      guard let number = DecimalNumber(takenFrom: &rest) else { return nil }
      rest = rest.drop(while: \.isBlank)
      let unit = rest.prefix { !$0.isBlank && !$0.isDigit && $0 != "." }
      rest = rest.dropFirst(unit.count).drop(while: \.isBlank)
      guard let factor = unit.isEmpty ? 1_000_000 : units[String(unit)] else { return nil }
      guard let part = number.times(factor) else { return nil }
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { return nil }
      total = sum
    }
    return .microseconds(total)
  }
}

extension Character {
  var isBlank: Bool { self == " " || self == "\t" }
  var isDigit: Bool { ("0"..."9").contains(self) }
}
