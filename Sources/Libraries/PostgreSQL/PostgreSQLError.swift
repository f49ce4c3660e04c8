/// An error of PostgreSQL, or of the connection to it.
public struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The five characters of the error code (PostgreSQL manual, appendix A); nil if no server answered.
  public let sqlState: String?
  /// The error text of the server or of libpq.
  public let message: String

  /// True if the role lacks a permission.
  public var isOfRights: Bool { sqlState == "42501" }

  /// The error text and the code.
  public var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
