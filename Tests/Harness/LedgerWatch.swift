import ChildProcesses
import Foundation
import Synchronization

/// Waits for changes of a daemon's ledger by `GET /v1/changes?wait=`.
final class LedgerWatch: Watch {
  /// How far it has been told of: what changed by then was there for the look that followed.
  private struct Mark: Decodable {
    var last: Int
    var seen: String
  }

  private struct Log: Decodable { var last: Int }

  private let socket: String
  private let mark = Mutex<Mark?>(nil)

  init(socket: String) { self.socket = socket }

  func news(within limit: Duration) async -> Bool {
    do {
      guard let known = mark.withLock({ $0 }) else { return try await begin() }
      let path = "/v1/changes?wait=1&after=\(known.last)&seen=\(percentEncoded(known.seen))"
      // The wait is a whole second or none: a shorter one is cut on this side, and its connection with it.
      let answer = try await get(path, within: limit)
      if answer.status == 0 { return true }
      return try take(answer)
    } catch {
      // Ignored: the look itself tells of the trouble.
      return false
    }
  }

  /// Takes a first mark, without the events before it. What changed since the look is not known, so there is news.
  private func begin() async throws -> Bool {
    let log = try JSONDecoder().decode(Log.self, from: Data(try await get("/v1/log?limit=1").body.utf8))
    return try take(try await get("/v1/changes?after=\(log.last)"))
  }

  private func take(_ answer: HTTPAnswer) throws -> Bool {
    let next = try JSONDecoder().decode(Mark.self, from: Data(answer.body.utf8))
    mark.withLock { $0 = next }
    return true
  }

  private func get(_ path: String, within limit: Duration = .seconds(5)) async throws -> HTTPAnswer {
    try await KeptConnections.call("GET", "http://localhost" + path, socket: socket, within: limit)
  }
}
