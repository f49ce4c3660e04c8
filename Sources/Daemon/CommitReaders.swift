import Ledger
import Synchronization

/// Who is told of each commit, in order. Called on the ledger's thread: none of them may block.
final class CommitReaders: Sendable {
  private let readers = Mutex<[@Sendable (Commit) -> Void]>([])

  func add(_ reader: @escaping @Sendable (Commit) -> Void) { readers.withLock { $0.append(reader) } }

  func read(_ commit: Commit) {
    for reader in readers.withLock({ $0 }) { reader(commit) }
  }
}
