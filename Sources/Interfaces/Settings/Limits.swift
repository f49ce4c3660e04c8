import Jobs

/// A span with its text in the configuration, so that an error can show it in that form.
struct SpanText: Comparable, ExpressibleByStringLiteral {
  let text: String
  let duration: Duration

  init(stringLiteral text: String) {
    self.text = text
    guard let duration = DurationText.parse(text) else { preconditionFailure("this literal is no duration: \(text)") }
    self.duration = duration
  }

  init(_ duration: Duration) {
    text = duration.inUnits
    self.duration = duration
  }

  static func < (one: SpanText, other: SpanText) -> Bool { one.duration < other.duration }
}

/// A size with its text in the configuration.
struct ByteText: Comparable, ExpressibleByStringLiteral {
  let text: String
  let bytes: Int64

  init(stringLiteral text: String) {
    self.text = text
    guard let bytes = SizeText.parse(text) else { preconditionFailure("this literal is no size: \(text)") }
    self.bytes = bytes
  }

  static func < (one: ByteText, other: ByteText) -> Bool { one.bytes < other.bytes }
}
