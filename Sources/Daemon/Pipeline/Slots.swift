import Synchronization

/// The slots for steps in flight, over all destinations: `concurrency`.
final class Slots: Sendable {
  private let free: Mutex<Int>

  init(_ count: Int) { free = Mutex(count) }

  /// Takes up to so many free slots, and says how many.
  func reserve(upTo limit: Int) -> Int {
    free.withLock { free in
      let taken = min(free, limit)
      free -= taken
      return taken
    }
  }

  /// Gives slots back.
  func release(_ count: Int) { free.withLock { $0 += count } }
}
