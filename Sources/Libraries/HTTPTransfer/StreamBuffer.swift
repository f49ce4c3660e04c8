import Linux

/// Stands between libcurl, which delivers a stream's body, and the task that reads it.
///
/// Lives on the transfer thread only. Full, it makes libcurl pause; emptied, it asks for more.
final class StreamBuffer {
  /// The bytes that are held for a slow reader before the server has to wait.
  static let limit = 256 << 10

  /// Waits for the head.
  var opening: Waiter<Result<ResponseHead, TransferError>>?
  private var reading: Waiter<Result<[UInt8]?, TransferError>>?
  private var bytes: [UInt8] = []
  private var ending: Result<Void, TransferError>?
  private var isPaused = false

  /// True if the transfer was paused and there is room again.
  var wantsMore: Bool { isPaused && bytes.count < Self.limit }

  /// True if a reader has been told the end, so that nothing is left to tell.
  private(set) var isDrained = false

  /// The head is complete.
  func open(_ head: ResponseHead) {
    opening?.resume(returning: .success(head))
    opening = nil
  }

  /// Takes bytes of the body. False if there is no room: they have to come again later.
  func accept(_ new: some Collection<UInt8>) -> Bool {
    guard bytes.count < Self.limit else {
      isPaused = true
      return false
    }
    isPaused = false
    if let waiting = reading {
      reading = nil
      waiting.resume(returning: .success(Array(new)))
    } else {
      bytes.append(contentsOf: new)
    }
    return true
  }

  /// Gives the next chunk, or the end, to a reader; now or when it is there.
  func read(into continuation: Waiter<Result<[UInt8]?, TransferError>>) {
    if !bytes.isEmpty {
      continuation.resume(returning: .success(bytes))
      bytes = []
    } else if let ending {
      isDrained = true
      continuation.resume(returning: ending.map { nil })
    } else if reading != nil {
      continuation.resume(returning: .failure(TransferError(.other, "the stream is being read by another task")))
    } else {
      reading = continuation
    }
  }

  /// The transfer is over.
  func end(_ result: Result<Void, TransferError>) {
    ending = result
    if case .failure(let error) = result { opening?.resume(returning: .failure(error)) }
    opening = nil
    guard let waiting = reading else { return }
    reading = nil
    isDrained = true
    waiting.resume(returning: result.map { nil })
  }
}
