import Jobs
import Ledger
import Synchronization

/// How many files may be admitted now: `admit_ahead` less the jobs that have not had their turn. The rest wait as files.
final class IntakeRoom: Sendable {
  private struct Door {
    var room: Int
    var isHeld = false
    var waiting: [Int: CheckedContinuation<Int, Never>] = [:]
    var lastTicket = 0
    var open: Int { isHeld ? 0 : max(0, room) }
  }

  private let admitAhead: Int
  private let door: Mutex<Door>

  init(admitAhead: Int) {
    self.admitAhead = admitAhead
    door = Mutex(Door(room: admitAhead))
  }

  /// Takes note of where the jobs stand after a commit.
  func update(_ counts: LedgerCounts) {
    let ahead = [State.queued, .active, .deferred].reduce(0) { $0 + counts.states[$1, default: 0] }
    change { $0.room = admitAhead - ahead }
  }

  /// Stops admission while the ledger cannot be written, and lets it go on.
  func hold(_ isHeld: Bool) { change { $0.isHeld = isHeld } }

  /// Waits until there is room, and says how much; 0 only where the task was cancelled.
  func wait() async -> Int {
    let ticket = door.withLock { door in
      door.lastTicket += 1
      return door.lastTicket
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let room = door.withLock { door -> Int? in
          if Task.isCancelled { return 0 }
          if door.open > 0 { return door.open }
          door.waiting[ticket] = continuation
          return nil
        }
        if let room { continuation.resume(returning: room) }
      }
    } onCancel: {
      door.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: 0)
    }
  }

  private func change(_ change: (inout Door) -> Void) {
    let (room, woken) = door.withLock { door -> (Int, [CheckedContinuation<Int, Never>]) in
      change(&door)
      guard door.open > 0, !door.waiting.isEmpty else { return (0, []) }
      defer { door.waiting = [:] }
      return (door.open, Array(door.waiting.values))
    }
    for continuation in woken { continuation.resume(returning: room) }
  }
}
