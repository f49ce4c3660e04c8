package import HummingbirdCore
import NIOCore

/// The answer to a connection that is one too many.
package enum OverloadAnswer {
  /// Closes without a word.
  package static func close(_ connection: HTTP1Channel.Value) async {
    do {
      try await connection.executeThenClose { _, _ in }
    } catch {
      // The peer has gone.
    }
  }
}
