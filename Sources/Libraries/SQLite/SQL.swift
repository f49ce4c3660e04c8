/// A statement that runs repeatedly. Its hash, by which a connection finds the prepared statement, is computed once.
public struct SQL: Hashable, Sendable {
  /// The statement in words.
  let text: String
  private let hash: Int

  /// Creates a statement from its SQL.
  public init(_ text: String) {
    self.text = text
    hash = text.hashValue
  }

  /// Two statements are equal if their SQL is.
  public static func == (a: SQL, b: SQL) -> Bool { a.text == b.text }

  /// Hashes the SQL.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
