public import Linux
import Synchronization

/// A caller that takes the first of the answers that it is given, and hears of no other. From any thread.
public final class FirstAnswer<Value: Sendable>: Sendable {
  private let waiter: Mutex<Waiter<Value>?>

  private init(_ waiter: Waiter<Value>) { self.waiter = Mutex(waiter) }

  /// Suspends the caller until there is an answer. `body` hands it on, and runs where the caller runs.
  public static func wait(_ body: (FirstAnswer<Value>) -> Void) async -> Value {
    await Waiter.wait { body(FirstAnswer($0)) }
  }

  /// Lets the caller go on, if it still waits.
  public func give(_ value: Value) { waiter.withLock { exchange(&$0, with: nil) }?.resume(returning: value) }
}

/// Asks, and waits no longer than `limit` for the answer: nil if there is none by then. What was asked is not cut.
public func answer<Value: Sendable>(
  within limit: Duration, on machine: Machine, _ ask: @escaping @Sendable () async -> Value
) async -> Value? {
  await FirstAnswer.wait { first in
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
