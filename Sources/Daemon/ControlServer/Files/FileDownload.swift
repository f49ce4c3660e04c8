import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes the file of a job to a reader until all of it is written, the reader is too slow, or the server stops.
///
/// A reader that has fewer bytes than `Content-Length` knows that it has not all of the file: whatever goes wrong ends the
/// connection. As with events, a reader costs the memory of one piece.
struct FileDownload {
  let channel: any Channel
  /// The longest time for which the reader's socket may accept nothing.
  let patience: TimeAmount

  private struct Stopped: Error {}

  /// The head of the answer. The connection serves nothing after it. A browser that gets the file neither shows nor runs it.
  static func headers(of file: JobFile) -> HTTPFields {
    var headers: HTTPFields = [
      .contentType: "application/octet-stream", .contentLength: String(file.size), .cacheControl: "no-store",
      .connection: "close", .contentDisposition: "attachment", .contentSecurityPolicy: "sandbox",
      .xContentTypeOptions: "nosniff",
    ]
    headers[.revision] = String(file.revision)
    return headers
  }

  /// Writes the file, then closes the connection.
  func run(_ file: JobFile, in place: OpenStreams.Place) async {
    channel.closeFuture.whenComplete { _ in place.finish() }
    // At once: the file is open, and its first bytes may take their own time.
    channel.writeAndFlush(
      HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: Self.headers(of: file))), promise: nil)
    // Ignored: the reader has gone or was cut off, or sees by the length that the file is not whole.
    try? await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await write(file) }
      tasks.addTask {
        for await _ in place.end {}
        channel.close(promise: nil)
        throw Stopped()
      }
      try await tasks.next()
      tasks.cancelAll()
    }
    channel.close(promise: nil)
  }

  private func write(_ file: JobFile) async throws {
    var offset: Int64 = 0
    while offset < file.size {
      let bytes = try await file.read(offset)
      guard !bytes.isEmpty else { throw Stopped() }
      offset += Int64(bytes.count)
      try await channel.send(.body(ByteBuffer(bytes: bytes)), within: patience)
    }
    try await channel.send(.end(nil), within: patience)
  }
}

extension HTTPField.Name {
  /// The header with the revision of the job whose file is read. The name is well formed, so the initializer succeeds.
  fileprivate static let revision = HTTPField.Name("Waybill-Revision") ?? .eTag
}
