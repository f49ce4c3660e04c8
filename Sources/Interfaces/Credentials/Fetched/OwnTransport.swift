import HTTPTransfer
import Jobs
import Messages
import Synchronization

/// A separate transport, opened when it is needed: those who wait for its requests occupy slots of the shared one.
final class OwnTransport: Sendable {
  /// The longest time for an answer from another host.
  static let timeout: Duration = .seconds(10)
  static let limit = 64 << 10

  private let opened = Mutex<Transport?>(nil)

  deinit { opened.withLock { $0?.shutdown() } }

  /// Sends a request and waits for the whole answer; an error names `place` and has the remedy for its kind.
  func send(
    _ request: HTTPRequest, to place: Message, remedy: (TransferError.Kind) -> Message
  ) async throws(KeyFault) -> HTTPResponse {
    do throws(TransferError) {
      return try await open().send(request)
    } catch {
      let why = error.message.changed { DisplayText.escape($0) }
      throw KeyFault(.cannotBeReached(place: place, why: why), remedy: remedy(error.kind))
    }
  }

  private func open() throws(TransferError) -> Transport {
    let known = opened.withLock(\.self)
    if let known { return known }
    let made = try Transport(maxConnections: 2)
    return opened.withLock { opened in
      if let known = opened { return known }
      opened = made
      return made
    }
  }

  /// Returns a body in the form of a query (`application/x-www-form-urlencoded`); a name without a value is left out.
  static func form(_ values: [(name: String, value: String?)]) -> [UInt8] {
    let pairs = values.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.component($0))" } }
    return Array(pairs.joined(separator: "&").utf8)
  }
}

extension Message {
  /// The status of an answer, with the words in it if there are any.
  static func httpStatus(_ response: HTTPResponse, said: String?) -> Message {
    said.map { .httpStatusSaid(status: response.status, said: $0) } ?? .httpStatus(status: response.status)
  }
}
