/// A request that is built again for each attempt, with the current key, clock, signature and file.
///
/// Nothing that is built for one attempt is used in the next. The request is built only when it may be sent, however long it
/// waited for that: S3 refuses a signature that is 15 minutes old (`RequestTimeTooSkewed`).
public struct DeferredRequest: Sendable {
  private let traits: RequestTraits
  private let build: @Sendable () async throws -> HTTPRequest

  /// A request with the function that builds it, which is called only by ``send(over:)``. `traits` are those of the request.
  public init(_ traits: RequestTraits = RequestTraits(), _ build: @escaping @Sendable () async throws -> HTTPRequest) {
    self.traits = traits
    self.build = build
  }

  /// Waits for its turn, builds the request and sends it.
  ///
  /// - Throws: the errors of building, or a ``TransferError``.
  public func send(over transport: Transport) async throws -> HTTPResponse {
    try await transport.send(traits, built: build)
  }
}
