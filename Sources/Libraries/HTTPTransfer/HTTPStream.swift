/// An answer whose body is read chunk by chunk.
public struct HTTPStream: Sendable {
  /// The status of the final answer.
  public let status: Int
  /// The header fields, without trailers.
  public let headers: HTTPHeaders
  /// The body. Only one task at a time may read it, and each byte is returned once.
  public let body: Body

  /// The body's chunks as they arrive. It ends with the body, and throws ``TransferError`` if the transfer was interrupted.
  public struct Body: AsyncSequence, Sendable {
    private let reader: StreamReader

    init(_ reader: StreamReader) { self.reader = reader }

    /// Continues where the last iterator stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// Returns one chunk after the other.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let reader: StreamReader

      /// Returns the next chunk, which is never empty; nil at the end of the body. Cancelling the task cuts the transfer.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(TransferError) -> [UInt8]? {
        try await reader.next()
      }
    }
  }
}

/// Keeps a stream open. The transfer is cut when the last reference is released.
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
