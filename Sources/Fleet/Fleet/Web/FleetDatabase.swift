package import PostgreSQL
import Synchronization

/// A few connections to the fleet's database, which take turns.
package final class FleetDatabase: Sendable {
  private let connections: [PostgreSQLConnection]
  private let turn = Atomic<Int>(0)

  /// A statement that takes longer is cancelled, because others wait for the connection.
  private static let patience = "SET statement_timeout = '20s'"

  /// - Parameter database: a connection string or URI as libpq takes them.
  /// - Throws: `ThreadError` at the limits of threads and descriptors.
  package init(_ database: String, connections count: Int = 3) throws {
    connections = try (0..<count).map { _ in try PostgreSQLConnection(database, preparation: [Self.patience]) }
  }

  /// Runs the body with one of the connections.
  ///
  /// - Throws: `PostgreSQLError`, `FleetSchema.Unfit`, or the error of the body.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
  ) async throws -> Value {
    let place = turn.add(1, ordering: .relaxed).oldValue & .max
    return try await connections[place % connections.count].run { session in
      try FleetSchema.require(session)
      return try body(session)
    }
  }
}
