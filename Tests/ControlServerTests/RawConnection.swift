import NIOCore
import NIOPosix

/// A connection that sends what the test wants, be it HTTP or not.
struct RawConnection {
  private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

  static func with<Result: Sendable>(
    _ socket: String,
    _ body: (
      _ input: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
      _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(unixDomainSocketPath: socket) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var iterator = inbound.makeAsyncIterator()
      return try await body(&iterator, outbound)
    }
  }
}

extension NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator {
  mutating func readToEnd() async throws -> String {
    var text = ""
    do {
      while let buffer = try await next(isolation: #isolation) { text += String(buffer: buffer) }
    } catch let error as IOError where error.errnoCode == 104 {
      // Reset, because the server closed with bytes of ours unread.
    }
    return text
  }

  mutating func read(until mark: String) async throws -> String {
    var text = ""
    while !text.contains(mark), let buffer = try await next(isolation: #isolation) { text += String(buffer: buffer) }
    return text
  }
}
