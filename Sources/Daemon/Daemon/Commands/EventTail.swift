import Jobs
import Ledger
import Synchronization

/// Wakes readers of events when there are more events than they have read. It keeps no events: each reader reads the ledger at
/// its own pace, so that a slow one costs no memory.
final class EventTail: Sendable {
  private struct Contents {
    var last: Int64
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var tickets = 0
  }

  private let state: Mutex<Contents>

  init(last: Int64) { state = Mutex(Contents(last: last)) }

  /// Records a commit, and resumes the readers that wait for it.
  func update(_ counts: LedgerCounts) {
    let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard counts.lastEvent > state.last else { return [] }
      state.last = counts.lastEvent
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits until there is an event after this one, or the task is cancelled.
  func wait(after sequence: Int64) async {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard state.last <= sequence, !Task.isCancelled else { return true }
          state.waiting[ticket] = continuation
          return false
        }
        if isThere { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
  }
}
