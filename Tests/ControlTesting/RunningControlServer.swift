import ChildProcesses
public import ControlServer
import Glibc
import Jobs
import SystemdLink

/// Runs a control server on a socket of its own while the body runs, then stops it and waits for its end.
@discardableResult
public func withControlServer<Result: Sendable>(
  _ operations: any ControlOperations, at path: String? = nil, limits: ControlServer.Limits = .init(),
  report: @escaping @Sendable (String) -> Void = { _ in },
  _ body: (_ socket: String) async throws -> Result
) async throws -> Result {
  let folder = try TemporaryFolder()
  let socket = path ?? folder.file("control.sock")
  let server = ControlServer(
    descriptor: try await listen(socket), operations: operations, limits: limits,
    userName: { "user\($0)" }, now: { Timestamp(year: 2026, month: 11, day: 21, hour: 13) }, report: report)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      do {
        try await server.run()
      } catch {
        print("the control server ended by itself: \(error)")
        throw error
      }
    }
    let result = try await body(socket)
    group.cancelAll()
    try await group.waitForAll()
    return result
  }
}

/// A program that another test starts has a copy of the listener of a server that has ended, until it is exec'd: so long a
/// path may seem to be in use.
private func listen(_ path: String) async throws -> Int32 {
  try await until("\(path) to be free") {
    do throws(SystemdError) {
      return try UnixSocket.listen(path: path).descriptor
    } catch {
      guard error.code == EADDRINUSE else { throw error }
      return nil
    }
  }
}
