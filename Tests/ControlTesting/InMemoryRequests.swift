public import ControlServer
public import Jobs

/// Requests kept in memory, as the ledger keeps them.
public actor InMemoryRequests: RequestMemory {
  private var requests: [RequestKey: (fingerprint: String, answer: RequestAnswer?)] = [:]

  /// None yet.
  public init() {}

  /// Remembers a request.
  public func begin(_ request: RequestKey, fingerprint: String) -> EarlierRequest {
    guard let earlier = requests[request] else {
      requests[request] = (fingerprint, nil)
      return .none
    }
    guard earlier.fingerprint == fingerprint else { return .another }
    return earlier.answer.map(EarlierRequest.answered) ?? .open
  }

  /// Remembers an answer.
  public func end(_ request: RequestKey, _ answer: RequestAnswer) { requests[request]?.answer = answer }

  /// Forgets a request.
  public func forget(_ request: RequestKey) { requests[request] = nil }

  /// The number of requests that are remembered.
  public var count: Int { requests.count }
}
