import HTTPTypes
import HummingbirdCore
import NIOCore

extension Response {
  /// The same answer, cut off: its whole head and half of its body are sent, and then the connection is cut.
  ///
  /// An answer without a body promises one byte that never comes.
  func cutInTheMiddle(by context: SandboxContext) -> Response {
    let promised = max(body.contentLength ?? 0, 1)
    let whole = body
    var half = self
    half.headers["content-length"] = String(promised)
    half.body = ResponseBody(contentLength: promised) { writer in
      do {
        try await whole.write(HalfWriter(parent: writer, left: promised / 2))
      } catch is HalfWriter.Full {
        // The half to be sent has been sent.
      }
      await context.cut()
    }
    return half
  }
}

/// Passes on a limited number of bytes; never reports that the body ended.
private struct HalfWriter: ResponseBodyWriter {
  struct Full: Error {}

  var parent: any ResponseBodyWriter
  var left: Int

  // @concurrent as in the protocol: the writer is only used where it came from.
  @concurrent
  mutating func write(_ buffer: ByteBuffer) async throws {
    var buffer = buffer
    if let part = buffer.readSlice(length: min(left, buffer.readableBytes)), part.readableBytes > 0 {
      left -= part.readableBytes
      try await parent.write(part)
    }
    if left == 0 { throw Full() }
  }

  consuming func finish(_: HTTPFields?) async throws {}
}
