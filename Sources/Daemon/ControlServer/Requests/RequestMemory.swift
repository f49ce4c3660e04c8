public import Jobs

/// Remembers requests that came with a key, through restarts.
public protocol RequestMemory: Sendable {
  /// Remembers a request, unless there was one with the same key; returns what is known of that.
  func begin(_ request: RequestKey, fingerprint: String) async throws -> EarlierRequest
  /// Remembers the answer to a request that was begun.
  func end(_ request: RequestKey, _ answer: RequestAnswer) async throws
  /// Forgets a request that changed nothing.
  func forget(_ request: RequestKey) async throws
}
