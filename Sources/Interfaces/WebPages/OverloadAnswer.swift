package import HummingbirdCore
import NIOCore

/// The answer to a connection beyond the limit.
package enum OverloadAnswer {
  /// Closes a connection without an answer.
  package static func close(_ connection: HTTP1Channel.Value) async {
    do {
      try await connection.executeThenClose { _, _ in }
    } catch {
      // The peer has gone.
    }
  }
}
