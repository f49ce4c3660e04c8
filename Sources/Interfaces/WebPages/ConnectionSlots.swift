import Synchronization

/// A limited number of slots, for connections or requests of one kind.
package final class ConnectionSlots: Sendable {
  private let free: Mutex<Int>

  package init(_ count: Int) { free = Mutex(count) }

  /// Takes a slot; false if none is free.
  package func acquire() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  package func giveBack() { free.withLock { $0 += 1 } }
}
