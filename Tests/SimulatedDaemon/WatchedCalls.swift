import Linux
import Seams
import Synchronization

/// The calls on files that a simulated daemon makes, some of which fail by a plan.
final class WatchedCalls: Sendable {
  #if DEBUG || SIMULATION
    private let calls = Mutex<FailingCalls?>(nil)

    /// Has calls fail by a plan from now on; nil ends it.
    func fail(by plan: String?) {
      calls.withLock { $0 = plan.flatMap { FailingCalls(plan: $0) } }
    }

    func watch(_ body: @Sendable () -> Bool) -> Bool { calls.withLock { $0?.watch(body) ?? body() } }
  #else
    func fail(by plan: String?) {}

    func watch(_ body: @Sendable () -> Bool) -> Bool { body() }
  #endif
}
