import Jobs

/// A quantity that the configuration has as a text with units.
protocol Quantity: Comparable, Sendable {
  /// The word for it in errors.
  static var word: String { get }
  /// Its units in errors.
  static var units: String { get }
  /// Returns the quantity of a text; nil if it is none, or too large.
  static func read(_ text: String) -> Self?
}

/// A span of time in systemd's form (systemd.time(7)), to the microsecond: `500ms`, `1h 30min`, `1.5s`; a number without a unit means
/// seconds.
extension Duration: Quantity {
  static let word = "duration"
  static let units = "us, ms, s, min, h, d, w"

  /// The microseconds of each unit.
  private static let factors: [String: Int64] = {
    let (second, day): (Int64, Int64) = (1_000_000, 86_400_000_000)
    let names: [(String, Int64)] = [
      ("usec us μs µs", 1), ("msec ms", 1_000), ("seconds second sec s", second),
      ("minutes minute min m", 60 * second), ("hours hour hr h", 3600 * second), ("days day d", day),
      ("weeks week w", 7 * day),
      // systemd counts a month as 30.44 days and a year as 365.25.
      ("months month M", 2_629_800 * second), ("years year y", 31_557_600 * second),
    ]
    var factors = ["": second]
    for (words, factor) in names {
      for word in words.split(separator: " ") { factors[String(word)] = factor }
    }
    return factors
  }()

  static func read(_ text: String) -> Duration? { DecimalNumber.sum(text, factors).map { .microseconds($0) } }
}

/// A number of bytes in systemd's form (systemd.syntax(7)): base 1024, `64KiB`, `16M`, `1.5GiB`, `0`. `KB` and `MB` are refused, because
/// some people understand them as thousands.
extension Int64: Quantity {
  static let word = "size"
  static let units = "KiB, MiB, GiB, TiB"

  private static let factors: [String: Int64] = [
    "": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "G": 1 << 30, "GiB": 1 << 30,
    "T": 1 << 40, "TiB": 1 << 40,
  ]

  static func read(_ text: String) -> Int64? { DecimalNumber.sum(text, factors, most: 1) }
}

/// A number without sign, as it appears in spans and sizes: `16`, `1.5`.
private struct DecimalNumber {
  private let digits: Substring
  private let fraction: Substring

  /// Reads the number at the start of the text, and removes it there; nil if there is none.
  private init?(takenFrom text: inout Substring) {
    digits = text.prefix(while: \.isDigit)
    let rest = text.dropFirst(digits.count)
    let hasPoint = rest.first == "."
    fraction = hasPoint ? rest.dropFirst().prefix(while: \.isDigit) : ""
    guard !digits.isEmpty, hasPoint != fraction.isEmpty else { return nil }
    text = rest.dropFirst(hasPoint ? fraction.count + 1 : 0)
  }

  /// Returns the number times a unit, rounded down; nil if that overflows.
  private func times(_ unit: Int64) -> Int64? {
    guard let whole = Int64(digits) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    // Eighteen digits are more precise than any unit needs, and fit into the wide product.
    let shown = fraction.prefix(18)
    let scale = repeatElement(Int128(10), count: shown.count).reduce(1, *)
    let part = Int64(Int128(unit) * (Int128(shown) ?? 0) / scale)
    let (sum, tooMuch) = product.addingReportingOverflow(part)
    return tooMuch ? nil : sum
  }

  /// Returns the sum of the numbers in a text, each times the factor of the unit after it.
  ///
  /// - Parameter most: the largest number of numbers.
  static func sum(_ text: String, _ factors: [String: Int64], most: Int = .max) -> Int64? {
    var (sum, count): (Int64, Int) = (0, 0)
    var rest = text.drop(while: \.isBlank)
    repeat {
      guard let number = DecimalNumber(takenFrom: &rest) else { return nil }
      rest = rest.drop(while: \.isBlank)
      let unit = rest.prefix { !$0.isBlank && !$0.isDigit && $0 != "." }
      rest = rest.dropFirst(unit.count).drop(while: \.isBlank)
      guard let factor = factors[String(unit)], let part = number.times(factor) else { return nil }
      let (longer, overflow) = sum.addingReportingOverflow(part)
      guard !overflow else { return nil }
      (sum, count) = (longer, count + 1)
    } while !rest.isEmpty && count < most
    return rest.isEmpty ? sum : nil
  }
}

extension Character {
  var isBlank: Bool { self == " " || self == "\t" }
  var isDigit: Bool { ("0"..."9").contains(self) }
}

/// A quantity with its text in the configuration, so that an error can show it in that form.
struct QuantityText<Value: Quantity>: Comparable, ExpressibleByStringLiteral {
  let text: String
  let value: Value

  init(stringLiteral text: String) {
    self.text = text
    guard let value = Value.read(text) else { preconditionFailure("this literal is no \(Value.word): \(text)") }
    self.value = value
  }

  static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

typealias SpanText = QuantityText<Duration>
typealias ByteText = QuantityText<Int64>

extension SpanText {
  init(_ duration: Duration) { (text, value) = (duration.inUnits, duration) }
}
