import HTTPTransfer
import Synchronization

/// A separate transport, opened when it is needed: for requests that others wait for while they occupy slots of the shared
/// transport.
final class OwnTransport: Sendable {
  private let opened = Mutex<Transport?>(nil)

  deinit { opened.withLock { $0?.shutdown() } }

  func open() throws(TransferError) -> Transport {
    let known = opened.withLock(\.self)
    if let known { return known }
    let made = try Transport(maxConnections: 2)
    return opened.withLock { opened in
      if let known = opened { return known }
      opened = made
      return made
    }
  }
}
