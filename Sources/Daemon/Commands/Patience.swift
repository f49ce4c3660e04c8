import Synchronization
import Threads

/// A caller that takes the first answer that it is given.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private let waiter: Mutex<Waiter<Value?>?>

  init(_ waiter: Waiter<Value?>) { self.waiter = Mutex(waiter) }

  func give(_ value: Value?) { waiter.withLock { exchange(&$0, with: nil) }?.resume(returning: value) }
}

/// Asks, and waits no longer than `limit` for the answer: nil if there is none by then. What was asked is not cut.
func answer<Value: Sendable>(
  within limit: Duration, on machine: Machine, _ ask: @escaping @Sendable () async -> Value
) async -> Value? {
  await Waiter.wait { waiter in
    let first = FirstAnswer(waiter)
    let patience = Task(executorPreference: machine.tasks) {
      try await machine.sleep(for: limit)
      first.give(nil)
    }
    Task(executorPreference: machine.tasks) {
      first.give(await ask())
      patience.cancel()
    }
  }
}
