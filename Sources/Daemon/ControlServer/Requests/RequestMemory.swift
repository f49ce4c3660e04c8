public import Jobs

/// Keeps requests that came with a key, through restarts.
public protocol RequestMemory: Sendable {
  /// Records a request, unless there is one with the same key; returns what is recorded for that key.
  func begin(_ request: RequestKey, fingerprint: String) async throws -> EarlierRequest
  /// Records the answer to a request that was begun.
  func end(_ request: RequestKey, _ answer: RequestAnswer) async throws
  /// Removes the record of a request that changed nothing.
  func forget(_ request: RequestKey) async throws
}
