/// An answer whose body is taken chunk by chunk.
public struct HTTPStream: Sendable {
  /// The status of the final answer.
  public let status: Int
  /// The header fields, without trailers.
  public let headers: HTTPHeaders
  /// The body; only one task at a time may read it, and each byte is given once.
  public let body: Body

  /// The body's chunks as they come. Ends with the body; throws ``TransferError`` if it was cut.
  public struct Body: AsyncSequence, Sendable {
    private let reader: StreamReader

    init(_ reader: StreamReader) { self.reader = reader }

    /// Goes on where the last iterator stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// Takes one chunk after the other.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let reader: StreamReader

      /// The next chunk, never empty; nil at the end of the body. Cancelling the task cuts the transfer.
      public mutating func next() async throws(TransferError) -> [UInt8]? { try await reader.next() }

      /// The next chunk, as ``next()``.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(TransferError) -> [UInt8]? {
        try await reader.next()
      }
    }
  }
}

/// Holds a stream open; the transfer is cut when the last reference goes.
final class StreamReader: Sendable {
  private let id: UInt64
  private let transport: Transport

  init(id: UInt64, transport: Transport) {
    self.id = id
    self.transport = transport
  }

  deinit { transport.release(id) }

  func next() async throws(TransferError) -> [UInt8]? { try await transport.nextChunk(of: id) }
}
