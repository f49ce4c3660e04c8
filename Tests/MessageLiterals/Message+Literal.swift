public import Messages

/// The tests' own words have no code in the table. The program has no literals of messages, so that none of its words stays English.
extension Message: ExpressibleByStringInterpolation {
  /// Creates a message without a code.
  public init(stringLiteral words: String) { self = .text(words) }
}
