/// An answer whose body is read chunk by chunk. Releasing it cuts the transfer.
public final class HTTPStream: Sendable {
  /// The status of the final answer.
  public let status: Int
  /// The header fields, without trailers.
  public let headers: HTTPHeaders
  private let id: RequestQueue.ID
  private let buffer: StreamBuffer
  private let transport: Transport

  init(_ head: ResponseHead, _ id: RequestQueue.ID, _ buffer: StreamBuffer, _ transport: Transport) {
    status = head.status
    headers = head.headers
    self.id = id
    self.buffer = buffer
    self.transport = transport
  }

  deinit { transport.cut(id) }

  /// Returns the next chunk of the body, never an empty one; nil at the end. Only one task at a time may read, and each byte is returned
  /// once. Cancelling the task cuts the transfer. Throws ``TransferError`` if the transfer was interrupted.
  public func next() async throws(TransferError) -> [UInt8]? { try await transport.nextChunk(of: id, buffer) }
}
