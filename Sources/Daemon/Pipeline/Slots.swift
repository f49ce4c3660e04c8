import Synchronization

/// The slots for steps in flight, over all destinations: `concurrency`, and those that are begun ahead.
final class Slots: Sendable {
  private struct Count {
    var all: Int
    /// Less than none while steps still use slots that there are no longer.
    var free: Int
  }

  private let count: Mutex<Count>

  init(_ count: Int) { self.count = Mutex(Count(all: count, free: count)) }

  /// Takes up to so many free slots, with so many more than there are, and says how many.
  func reserve(upTo limit: Int, ahead: Int) -> Int {
    count.withLock { count in
      let taken = max(0, min(count.free + ahead, limit))
      count.free -= taken
      return taken
    }
  }

  /// Gives a slot back where more are in use than there are, with so many more: since they became fewer. Says whether it did.
  func giveBackIfTooMany(ahead: Int) -> Bool {
    count.withLock { count in
      guard count.free + ahead < 0 else { return false }
      count.free += 1
      return true
    }
  }

  /// Gives slots back.
  func release(_ slots: Int) { count.withLock { $0.free += slots } }

  /// Has so many slots from now on; what uses more of them ends first.
  func resize(to all: Int) {
    count.withLock { count in
      count.free += all - count.all
      count.all = all
    }
  }
}
