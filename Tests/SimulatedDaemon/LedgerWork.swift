import SQLite
import Synchronization

/// The operations of the ledger's database in one life, of which a scan of all rows takes a few for each.
final class LedgerWork: Sendable {
  /// The operations of this process that are not the life's.
  private let others = Mutex<Int64>(0)

  func begin() { others.withLock { $0 = Self.now } }

  func leavingOut<Value>(_ body: () throws -> Value) rethrows -> Value {
    let before = Self.now
    defer { others.withLock { $0 += Self.now - before } }
    return try body()
  }

  var count: Int64 { Self.now - others.withLock(\.self) }

  #if DEBUG || SIMULATION
    private static var now: Int64 { Database.operations }
  #else
    private static var now: Int64 { 0 }
  #endif
}
