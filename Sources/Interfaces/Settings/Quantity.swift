import Jobs

/// A quantity that the configuration has as a text with units.
protocol Quantity: Comparable, Sendable {
  static var word: String { get }
  static var units: String { get }
  /// Returns the quantity of a text; nil if it is none, or too large.
  static func read(_ text: String) -> Self?
}

extension Duration: Quantity {
  static let word = "duration"
  static let units = "us, ms, s, min, h, d, w"
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

  static func read(_ text: String) -> Int64? { UnitSum.of(text, factors, most: 1) }
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
