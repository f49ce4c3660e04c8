import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The answer to a connection that is one too many.
enum OverloadAnswer {
  /// Answers 503 before any request was read, and closes.
  static func sendAndClose(_ connection: HTTP1Channel.Value) async {
    do {
      try await connection.executeThenClose { _, outbound in
        let problem = ProblemDocument(status: 503, detail: "The control socket has too many connections")
        let body = try ControlJSON.encode(problem)
        let headers: HTTPFields = [
          .contentType: ProblemDocument.mediaType, .contentLength: String(body.count), .connection: "close",
        ]
        try await outbound.write(.head(HTTPResponse(status: .serviceUnavailable, headerFields: headers)))
        try await outbound.write(.body(ByteBuffer(bytes: body)))
        try await outbound.write(.end(nil))
      }
    } catch {
      // The peer has gone; there is nobody left to tell.
    }
  }
}
