import Linux
import Synchronization

/// Messages from other threads to the transfer thread. Their senders, a cancelled task or a deinit, cannot wait for the
/// actor's turn.
final class TransferMail: Sendable {
  struct Contents {
    /// Transfers to cut.
    var cancelled: [UInt64] = []
    /// Streams that nobody can read any more.
    var released: [UInt64] = []
    /// True when everything is to be cut.
    var shutdown = false
  }

  private let contents = Mutex(Contents())
  private let thread: LoopThread

  init(to thread: LoopThread) { self.thread = thread }

  /// Cuts a transfer; one that is unknown or has ended is left as it is.
  func cancel(_ id: UInt64) { post { $0.cancelled.append(id) } }

  /// Cuts a stream and forgets what it has buffered.
  func release(_ id: UInt64) { post { $0.released.append(id) } }

  /// Cuts everything; also makes the thread look whether its transport still lives.
  func requestShutdown() { post { $0.shutdown = true } }

  private func post(_ change: (inout Contents) -> Void) {
    contents.withLock { change(&$0) }
    thread.wake()
  }

  /// Returns what other threads have left since the last call; nil for nothing. On the transfer thread.
  func collect() -> Contents? {
    guard thread.takeWake() else { return nil }
    return contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
  }
}
