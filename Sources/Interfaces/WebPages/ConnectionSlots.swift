import Synchronization

/// Connections or requests of one kind, counted against the most that there may be.
package final class ConnectionSlots: Sendable {
  private let free: Mutex<Int>

  /// Creates so many.
  package init(_ count: Int) { free = Mutex(count) }

  /// Takes one of them; false if there is none.
  package func acquire() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  /// Gives one back.
  package func giveBack() { free.withLock { $0 += 1 } }
}
