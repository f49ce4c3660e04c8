import Linux
import Synchronization

/// Messages from other threads to the transfer thread, from senders that cannot await the actor: a cancelled task or a deinit.
final class TransferMail: Sendable {
  struct Contents {
    /// The transfers to cut.
    var cut: [UInt64] = []
    /// True to cut everything.
    var shutdown = false
  }

  private let contents = Mutex(Contents())
  private let thread: LoopThread

  init(to thread: LoopThread) { self.thread = thread }

  /// Cuts a transfer, and drops the buffer of a stream. One that is unknown or has ended is ignored.
  func cut(_ id: UInt64) { post { $0.cut.append(id) } }

  /// Cuts everything. It also wakes the thread, which then notices if its transport is gone.
  func requestShutdown() { post { $0.shutdown = true } }

  private func post(_ change: (inout Contents) -> Void) {
    contents.withLock { change(&$0) }
    thread.wake()
  }

  /// Returns the messages since the last call; nil if there are none. Only on the transfer thread.
  func collect() -> Contents? {
    guard thread.takeWake() else { return nil }
    return contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
  }
}
