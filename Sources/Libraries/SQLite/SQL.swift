/// A statement that is run again and again. Its hash is taken once: a connection finds its prepared statements by it.
public struct SQL: Hashable, Sendable {
  /// The statement in words.
  public let text: String
  private let hash: Int

  /// Creates a statement from its words.
  public init(_ text: String) {
    self.text = text
    hash = text.hashValue
  }

  /// Two statements are equal if their words are.
  public static func == (a: SQL, b: SQL) -> Bool { a.text == b.text }

  /// Hashes the words.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
