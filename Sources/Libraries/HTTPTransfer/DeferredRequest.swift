/// A request that is built anew each time it is sent, from what is true at that moment: key, clock, signature, file.
///
/// Nothing built for one attempt is used in the next. It is built when its turn has come to be sent, however long it waited
/// for that: S3 refuses a signature that is 15 minutes old (`RequestTimeTooSkewed`).
public struct DeferredRequest: Sendable {
  private let traits: RequestTraits
  private let build: @Sendable () async throws -> HTTPRequest

  /// Takes the way to build the request; it is not called before ``send(over:)``. `traits` are those of the request.
  public init(_ traits: RequestTraits = RequestTraits(), _ build: @escaping @Sendable () async throws -> HTTPRequest) {
    self.traits = traits
    self.build = build
  }

  /// Waits for its turn, builds the request and sends it.
  ///
  /// Throws what building throws, or a ``TransferError``.
  public func send(over transport: Transport) async throws -> HTTPResponse {
    try await transport.send(traits, built: build)
  }
}
