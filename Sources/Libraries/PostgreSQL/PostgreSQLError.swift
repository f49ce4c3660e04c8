/// An error of PostgreSQL, or of the connection to it.
public struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The five characters of the error code (PostgreSQL manual, appendix A); nil if no server answered.
  public let sqlState: String?
  /// The error text of the server or of libpq.
  public let message: String

  /// Creates an error.
  init(sqlState: String?, message: String) {
    self.sqlState = sqlState
    self.message = message
  }

  /// True if there is no usable connection: the same call may succeed over a new one.
  ///
  /// Without a code, no server answered. Class 08 concerns the connection; 57P01 to 57P03 mean that the server stops or starts,
  /// 53300 that it has too many connections.
  public var isOfConnection: Bool {
    guard let sqlState else { return true }
    return sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03", "53300"].contains(sqlState)
  }

  /// True if the role lacks a permission.
  public var isOfRights: Bool { sqlState == "42501" }

  /// The error text and the code.
  public var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
