public import Daemon
import FoundationEssentials
import Jobs
import SystemdLink

/// Runs a control server on a socket of its own while the body runs, then stops it and waits for its end.
///
/// - Parameters:
///   - path: the socket; nil for one in a directory of its own.
///   - report: told of errors that the server answers with 500.
@discardableResult
public func withControlServer<Result: Sendable>(
  _ operations: ControlOperations, at path: String? = nil, limits: ControlServer.Limits = .init(),
  report: @escaping @Sendable (String) -> Void = { _ in },
  _ body: (_ socket: String) async throws -> Result
) async throws -> Result {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  let socket = path ?? directory.path + "/control.sock"
  let server = ControlServer(
    descriptor: try UnixSocket.listen(path: socket).descriptor, operations: operations, limits: limits,
    userName: { "user\($0)" }, now: { Timestamp(year: 2026, month: 11, day: 21, hour: 13) }, report: report)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await server.run() }
    let result = try await body(socket)
    group.cancelAll()
    try await group.waitForAll()
    return result
  }
}

/// A directory that is removed when the test says so.
public struct TemporaryDirectory: Sendable {
  /// Where it is.
  public let path: String

  /// Makes a new one.
  public init() throws {
    path = "/tmp/waybill-control-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  /// Removes it with all that is in it.
  public func remove() {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("left behind: \(path): \(error)")
    }
  }
}
