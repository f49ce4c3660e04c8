import CSQLite
public import Linux
import Synchronization

extension Database {
  /// Runs the body, and cuts the statement that runs when the time is over: then nil. Throws the error of the body.
  public func within<Value>(_ time: Duration, on machine: Machine, _ body: () throws -> Value) throws -> Value? {
    let cut = try unsafe withConnection { unsafe Cut(of: $0) }
    WorkLine("waybill.limit", on: machine).add(after: time) { cut.make() }
    defer { cut.forget() }
    do {
      return try body()
    } catch let error as SQLiteError where error.isOfInterrupt {
      return nil
    }
  }

  /// Cuts the statement of a connection, on another thread, until the connection is forgotten.
  @safe private final class Cut: Sendable {
    /// The address of the connection.
    private let connection: Mutex<UInt?>

    init(of connection: OpaquePointer) { self.connection = Mutex(UInt(bitPattern: connection)) }

    func make() {
      connection.withLock { connection in
        guard let address = connection else { return }
        unsafe sqlite3_interrupt(OpaquePointer(bitPattern: address))
      }
    }

    func forget() { connection.withLock { $0 = nil } }
  }
}
