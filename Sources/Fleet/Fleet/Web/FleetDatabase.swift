import ControlAPI
import Messages
import PostgreSQL
import Synchronization
import WebPages

/// A few connections to the fleet's database, which take turns.
final class FleetDatabase: Sendable {
  private let connections: [PostgreSQLConnection]
  private let turn = Atomic<Int>(0)
  private let report: @Sendable (String) -> Void
  /// The calls that may wait for the database at a time: fewer than a server has connections, so that others are always served.
  private let asking = ConnectionSlots(96)

  /// A statement that takes longer is cancelled, because others wait for the connection.
  private static let patience = "SET statement_timeout = '20s'"

  init(_ database: String, report: @escaping @Sendable (String) -> Void) throws {
    connections = try (0..<3).map { _ in try PostgreSQLConnection(database, preparation: [Self.patience]) }
    self.report = report
  }

  /// - Throws: `PostgreSQLError`, ``FleetSchema/Unfit``, or the error of the body.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
  ) async throws -> Value {
    let place = turn.add(1, ordering: .relaxed).oldValue & .max
    return try await connections[place % connections.count].run { session in
      try FleetSchema.require(session)
      return try body(session)
    }
  }

  /// Runs the body for an answer: errors of the database become those that its reader is told.
  func answer<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLSession) throws -> Value
  ) async throws -> Value {
    guard asking.acquire() else { throw ProblemDocument(.overloaded, saying: .fleetBusy) }
    defer { asking.giveBack() }
    do {
      return try await run(body)
    } catch let error as PostgreSQLError where error.isOfRights {
      throw ProblemDocument(.onBehalfOf, saying: .fleetReadOnly)
    } catch let error as PostgreSQLError where error.sqlState?.hasPrefix("22") == true {
      // a value that is no pattern, no time or no number
      throw InvalidRequest(.otherError(why: error.message))
    } catch  where error is PostgreSQLError || error is FleetSchema.Unfit {
      report(Self.words(error))
      throw ProblemDocument(.overloaded, saying: .otherError(why: Self.words(error)))
    }
  }

  static func words(_ error: any Error) -> String { error is PostgreSQLError ? "the database: \(error)" : "\(error)" }
}
