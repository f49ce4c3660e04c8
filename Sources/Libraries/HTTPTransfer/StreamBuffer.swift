import Linux
import Messages

/// Buffers a stream's body between libcurl, which delivers it, and the task that reads it.
///
/// libcurl pauses when the buffer is full, and resumes when it is emptied. Only the transfer thread uses the buffer, which the compiler
/// cannot check.
final class StreamBuffer: @unchecked Sendable {
  /// The maximum number of bytes to buffer for a slow reader, before the server has to wait.
  static let limit = 256 << 10

  /// The caller that waits for the head.
  var opening: Waiter<Result<ResponseHead, TransferError>>?
  private var reading: Waiter<Result<[UInt8]?, TransferError>>?
  private var bytes: [UInt8] = []
  private var ending: Result<Void, TransferError>?
  private(set) var isPaused = false

  /// True if the transfer was paused and there is space again.
  var wantsMore: Bool { isPaused && bytes.count < Self.limit }

  func open(_ head: ResponseHead) {
    opening?.resume(returning: .success(head))
    opening = nil
  }

  /// Receives bytes of the body. Returns false if there is no space: then libcurl must deliver them again.
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

  /// Passes the next chunk, or the end, to a reader: at once, or when it is available.
  func read(into continuation: Waiter<Result<[UInt8]?, TransferError>>) {
    if !bytes.isEmpty {
      continuation.resume(returning: .success(bytes))
      bytes = []
    } else if let ending {
      continuation.resume(returning: ending.map { nil })
    } else if reading != nil {
      continuation.resume(returning: .failure(TransferError(.other, .streamReadTwice)))
    } else {
      reading = continuation
    }
  }

  func end(_ result: Result<Void, TransferError>) {
    ending = result
    if case .failure(let error) = result { opening?.resume(returning: .failure(error)) }
    opening = nil
    reading?.resume(returning: result.map { nil })
    reading = nil
  }
}
