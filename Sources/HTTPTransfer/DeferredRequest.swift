/// A request that is built anew each time it is sent, from what is true at that moment: key, clock, signature, file.
///
/// Nothing built for one attempt is used in the next.
public struct DeferredRequest: Sendable {
  private let build: @Sendable () async throws -> HTTPRequest

  /// Takes the way to build the request; it is not called before ``send(over:)``.
  public init(_ build: @escaping @Sendable () async throws -> HTTPRequest) { self.build = build }

  /// Builds the request and sends it.
  ///
  /// Throws what building throws, or a ``TransferError``.
  public func send(over transport: Transport) async throws -> HTTPResponse {
    try await transport.send(try await build())
  }
}
