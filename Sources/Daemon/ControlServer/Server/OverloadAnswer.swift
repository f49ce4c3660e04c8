import ControlAPI
import HTTPTypes
import HummingbirdCore
import Messages
import NIOCore
import NIOHTTPTypes

/// The answer to a connection beyond the limit.
enum OverloadAnswer {
  /// The time that the peer has to read the answer.
  private static let patience = TimeAmount.seconds(1)

  /// Answers 503 before any request was read, and closes the connection once the peer has closed it.
  ///
  /// It does not close at once: libcurl treats a connection that is closed on both sides as refused before it reads the answer,
  /// and would report that no daemon answers.
  static func sendAndClose(_ connection: HTTP1Channel.Value) async {
    do {
      let channel = connection.channel
      let cut = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
      defer { cut.cancel() }
      try await connection.executeThenClose { inbound, outbound in
        let body = ProblemDocument(.overloaded, saying: .tooManyConnections).json()
        let headers: HTTPFields = [
          .contentType: ProblemDocument.mediaType, .contentLength: String(body.count), .connection: "close",
        ]
        try await outbound.write(.head(HTTPResponse(status: .serviceUnavailable, headerFields: headers)))
        try await outbound.write(.body(ByteBuffer(bytes: body)))
        try await outbound.write(.end(nil))
        outbound.finish()
        for try await _ in inbound {}
      }
    } catch {
      // The peer has gone: there is nobody to answer.
    }
  }

  /// Closes a connection without an answer.
  static func close(_ connection: HTTP1Channel.Value) async {
    // Ignored: the peer has gone.
    try? await connection.executeThenClose { _, _ in }
  }
}
