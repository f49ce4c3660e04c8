import Jobs

/// A quantity that the configuration has as a text with units.
protocol Quantity: Comparable, Sendable {
  /// The word for it in errors.
  static var word: String { get }
  /// Its units in errors.
  static var units: String { get }
  /// Returns the quantity of a text; nil if it is none.
  static func read(_ text: String) -> Self?
}

/// A span of time.
extension Duration: Quantity {
  static let word = "duration"
  static let units = "us, ms, s, min, h, d, w"
  static func read(_ text: String) -> Duration? { DurationText.parse(text) }
}

/// A number of bytes.
extension Int64: Quantity {
  static let word = "size"
  static let units = "KiB, MiB, GiB, TiB"
  static func read(_ text: String) -> Int64? { SizeText.parse(text) }
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
