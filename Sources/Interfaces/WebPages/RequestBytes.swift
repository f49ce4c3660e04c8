package import HummingbirdCore
import NIOCore

/// The reason why the body of a request is not taken. Each is the caller's fault.
package enum BodyFault: Error {
  /// It is longer than allowed.
  case tooLarge
  /// It is framed in a way that is not HTTP's, or breaks off.
  case unreadable
}

extension Request {
  package func bytes(atMost limit: Int) async throws(BodyFault) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await buffer in body {
        bytes += buffer.readableBytesView
        if bytes.count > limit { break }
      }
    } catch {
      throw BodyFault.unreadable
    }
    guard bytes.count <= limit else { throw BodyFault.tooLarge }
    return bytes
  }
}
