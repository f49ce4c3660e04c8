import Ledger
import Synchronization

/// The readers of commits. Each is called with every commit, in order, on the ledger's thread, so none may block.
final class CommitReaders: Sendable {
  private let readers = Mutex<[@Sendable (Commit) -> Void]>([])

  func add(_ reader: @escaping @Sendable (Commit) -> Void) { readers.withLock { $0.append(reader) } }

  func read(_ commit: Commit) {
    for reader in readers.withLock({ $0 }) { reader(commit) }
  }
}
