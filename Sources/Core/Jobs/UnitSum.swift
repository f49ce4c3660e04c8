extension Duration {
  /// The microseconds of each unit.
  private static let units: [String: Int64] = {
    let (second, day): (Int64, Int64) = (1_000_000, 86_400_000_000)
    let names: [(String, Int64)] = [
      ("usec us μs µs", 1), ("msec ms", 1_000), ("seconds second sec s", second),
      ("minutes minute min m", 60 * second), ("hours hour hr h", 3600 * second), ("days day d", day),
      ("weeks week w", 7 * day),
      // systemd counts a month as 30.44 days and a year as 365.25.
      ("months month M", 2_629_800 * second), ("years year y", 31_557_600 * second),
    ]
    var units = ["": second]
    for (words, length) in names {
      for word in words.split(separator: " ") { units[String(word)] = length }
    }
    return units
  }()

  /// Reads a span of time in systemd's form (systemd.time(7)), to the microsecond: `500ms`, `1h 30min`, `1.5s`; a number without a unit
  /// means seconds. Returns nil for anything else.
  public static func read(_ text: String) -> Duration? { UnitSum.of(text, units).map { .microseconds($0) } }
}

/// Numbers without sign, each with a unit behind it, as spans and sizes have them: `16`, `1.5GiB`, `1h 30min`.
public enum UnitSum {
  /// Returns the sum of the numbers in a text, each times its unit; nil if the text has another form, or if the sum is too large.
  /// - Parameter most: the most numbers that the text may have.
  public static func of(_ text: String, _ units: [String: Int64], most: Int = .max) -> Int64? {
    var (sum, count): (Int64, Int) = (0, 0)
    var rest = text.drop(while: \.isBlank)
    repeat {
      let digits = rest.prefix(while: \.isDigit)
      rest = rest.dropFirst(digits.count)
      let hasPoint = rest.first == "."
      let fraction = hasPoint ? rest.dropFirst().prefix(while: \.isDigit) : ""
      guard !digits.isEmpty, hasPoint != fraction.isEmpty else { return nil }
      rest = rest.dropFirst(hasPoint ? fraction.count + 1 : 0).drop(while: \.isBlank)
      let unit = rest.prefix { !$0.isBlank && !$0.isDigit && $0 != "." }
      rest = rest.dropFirst(unit.count).drop(while: \.isBlank)
      guard let length = units[String(unit)], let summand = product(digits, fraction, length) else { return nil }
      let (longer, overflow) = sum.addingReportingOverflow(summand)
      guard !overflow else { return nil }
      (sum, count) = (longer, count + 1)
    } while !rest.isEmpty && count < most
    return rest.isEmpty ? sum : nil
  }

  /// Returns a number times a unit, rounded down; nil if that overflows.
  private static func product(_ digits: Substring, _ fraction: Substring, _ unit: Int64) -> Int64? {
    // Eighteen digits are more precise than any unit needs, and fit into the wide product.
    let shown = fraction.prefix(18)
    let scale = repeatElement(Int128(10), count: shown.count).reduce(1, *)
    guard let whole = Int64(digits) else { return nil }
    return Int64(exactly: Int128(whole) * Int128(unit) + Int128(unit) * (Int128(shown) ?? 0) / scale)
  }
}

extension Character {
  package var isBlank: Bool { self == " " || self == "\t" }
  /// True for 0 to 9. A range of characters would also contain a digit with an accent.
  package var isDigit: Bool { isASCII && isNumber }
}
