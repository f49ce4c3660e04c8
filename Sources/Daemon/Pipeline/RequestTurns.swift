import Jobs
import Synchronization

/// Whose request may be in flight: `concurrency` at a time, shared among the destinations as slots are. A job that was begun
/// ahead waits here for a moment.
final class RequestTurns: Sendable {
  private struct Waiter {
    let number: Int
    let destination: String
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Queue {
    var shares: SlotShares
    var use = SlotUse()
    var waiting: [Waiter] = []
    var lastNumber = 0

    mutating func take(at destination: String) -> Bool {
      guard shares.mayBegin(at: destination, use) else { return false }
      use.add(1, at: destination)
      return true
    }

    /// Those whose turn it is now, who came first before the others.
    mutating func next() -> [Waiter] {
      var ready: [Waiter] = []
      var index = 0
      while index < waiting.count, shares.isFree(use) {
        if take(at: waiting[index].destination) { ready.append(waiting.remove(at: index)) } else { index += 1 }
      }
      return ready
    }
  }

  private let queue: Mutex<Queue>

  init(_ shares: SlotShares) { queue = Mutex(Queue(shares: shares)) }

  /// How many wait.
  var waiting: Int { queue.withLock { $0.waiting.count } }

  /// Waits for a turn at a destination. One that came is to be given back.
  ///
  /// - Returns: whether it came; it does not where the task is cancelled.
  func take(at destination: String) async -> Bool {
    let number = queue.withLock { queue -> Int? in
      if queue.take(at: destination) { return nil }
      queue.lastNumber += 1
      return queue.lastNumber
    }
    guard let number else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { $0.waiting.append(Waiter(number: number, destination: destination, continuation: continuation)) }
        if Task.isCancelled { leave(number) }
      }
    } onCancel: {
      leave(number)
    }
  }

  /// Gives a turn back.
  func giveBack(at destination: String) { change { $0.use.add(-1, at: destination) } }

  /// Goes on by other shares; where there are fewer slots, those in flight end first.
  func share(_ shares: SlotShares) { change { $0.shares = shares } }

  private func change(_ change: (inout Queue) -> Void) {
    let ready = queue.withLock { queue in
      change(&queue)
      return queue.next()
    }
    for waiter in ready { waiter.continuation.resume(returning: true) }
  }

  private func leave(_ number: Int) {
    let left = queue.withLock { queue -> CheckedContinuation<Bool, Never>? in
      guard let place = queue.waiting.firstIndex(where: { $0.number == number }) else { return nil }
      return queue.waiting.remove(at: place).continuation
    }
    left?.resume(returning: false)
  }
}
