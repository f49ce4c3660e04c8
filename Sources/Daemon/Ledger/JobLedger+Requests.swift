public import Jobs
import SQLite

/// Requests that carry a key (`Idempotency-Key`): each acts once.
///
/// A request is remembered before it acts, and its answer after. So a key whose request was cut short by the end of the daemon
/// is known, and never acts a second time.
extension JobLedger {
  /// The time for which a request is remembered; after it, the next one of the same user forgets it.
  public static let requestsKept: Duration = .seconds(86_400)
  /// The number of requests of a user that are remembered: of more, the oldest that were answered are forgotten.
  public static let mostRequests = 10_000

  /// Remembers a request, unless there was one with the same key.
  ///
  /// - Parameter fingerprint: stands for what is asked: two requests that differ have different ones.
  public func begin(_ request: RequestKey, fingerprint: String) async throws -> EarlierRequest {
    let (kept, most) = (Self.requestsKept, Self.mostRequests)
    return try await writer.perform { batch in
      let now = batch.clock.steady()
      try batch.db.execute(
        "DELETE FROM request WHERE uid = ? AND at < ?", [Int64(request.uid), (now + (.zero - kept)).microseconds])
      let key: [(any Bindable)?] = [Int64(request.uid), request.text]
      let earlier: (fingerprint: String, answer: RequestAnswer?)? = try batch.db.first(
        "SELECT fingerprint, status, body FROM request WHERE uid = ? AND key = ?", key
      ) { row in
        let status = (row[1] as Int64?).flatMap { (100...599).contains($0) ? $0 : nil }
        let body: [UInt8]? = row[2]
        return (row[0], status.map { RequestAnswer(status: Int($0), body: body ?? []) })
      }
      if let earlier {
        guard earlier.fingerprint == fingerprint else { return .another }
        return earlier.answer.map(EarlierRequest.answered) ?? .open
      }
      try batch.db.execute(
        """
        DELETE FROM request WHERE uid = ? AND status IS NOT NULL AND (at, key) <=
          (SELECT at, key FROM request WHERE uid = ? ORDER BY at DESC, key DESC LIMIT 1 OFFSET ?)
        """, [Int64(request.uid), Int64(request.uid), Int64(most - 1)])
      try batch.db.execute(
        "INSERT INTO request (uid, key, fingerprint, at) VALUES (?, ?, ?, ?)",
        key + [fingerprint, now.microseconds])
      return .none
    }
  }

  /// Remembers the answer to a request that was begun.
  public func end(_ request: RequestKey, _ answer: RequestAnswer) async throws {
    try await writer.perform { batch in
      try batch.db.execute(
        "UPDATE request SET status = ?, body = ? WHERE uid = ? AND key = ?",
        [Int64(answer.status), answer.body, Int64(request.uid), request.text])
    }
  }

  /// Forgets a request that changed nothing.
  public func forget(_ request: RequestKey) async throws {
    try await writer.perform { batch in
      try batch.db.execute(
        "DELETE FROM request WHERE uid = ? AND key = ?", [Int64(request.uid), request.text])
    }
  }
}
