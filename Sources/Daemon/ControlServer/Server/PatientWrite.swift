import NIOCore
import NIOHTTPTypes

extension Channel {
  /// Writes a part of an answer and waits until the kernel has accepted it. A reader that reads nothing for too long is cut off,
  /// and the write fails.
  func send(_ part: HTTPResponsePart, within patience: TimeAmount) async throws {
    let deadline = eventLoop.scheduleTask(in: patience) { self.close(promise: nil) }
    let written = eventLoop.makePromise(of: Void.self)
    // On the event loop, so that a task that is slow to resume does not count against the reader.
    written.futureResult.whenComplete { _ in deadline.cancel() }
    writeAndFlush(part, promise: written)
    try await written.futureResult.get()
  }
}
