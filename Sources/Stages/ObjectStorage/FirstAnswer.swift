public import Linux
import Synchronization

/// Resumes one caller with the first answer; later answers are dropped. It may be used from any thread.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private let waiter: Mutex<Waiter<Value>?>

  private init(_ waiter: Waiter<Value>) { self.waiter = Mutex(waiter) }

  /// Suspends the caller until there is an answer. `body` passes this object on, and runs in the caller's context.
  static func wait(_ body: (FirstAnswer<Value>) -> Void) async -> Value {
    await Waiter.wait { body(FirstAnswer($0)) }
  }

  /// Resumes the caller with a value, if it still waits.
  func give(_ value: Value) { waiter.withLock { exchange(&$0, with: nil) }?.resume(returning: value) }
}

/// Runs `ask` and waits at most `limit` for its answer; nil if there is none by then. `ask` itself is not cancelled.
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
