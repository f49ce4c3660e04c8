/// An error of PostgreSQL, or of the way to it.
public struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The five characters of the error code (PostgreSQL manual, appendix A); nil if no server answered.
  public let sqlState: String?
  /// The server's words, or libpq's.
  public let message: String

  /// Creates an error.
  public init(sqlState: String?, message: String) {
    self.sqlState = sqlState
    self.message = message
  }

  /// True if there is no connection, or none any more: the same may succeed over a new one.
  ///
  /// Without a code no server answered. Class 08 is the connection; 57P01 to 57P03 are a server that stops or starts.
  public var isOfConnection: Bool {
    guard let sqlState else { return true }
    return sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03", "53300"].contains(sqlState)
  }

  /// True if the role may not do that.
  public var isOfRights: Bool { sqlState == "42501" }

  /// The code and the words.
  public var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
