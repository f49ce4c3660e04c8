import Seams

/// A semaphore whose time-outs use a clock that cannot be set. A wait of `DispatchSemaphore` ends at a wall-clock time (sem_timedwait(3)).
public final class SteadySemaphore: Sendable {
  private let signals = ConditionLock(0)
  private let mayWait: Bool

  /// Creates a semaphore without a signal. In a simulation no wait takes time, because its only thread could never get a signal meanwhile.
  public init(on machine: Machine = .system) { mayWait = machine.world == nil }

  /// Lets one wait end, a current or a future one.
  public func signal() {
    signals.withLock { $0 += 1 }
    signals.wakeOne()
  }

  /// Blocks the thread until there is a signal, and consumes it.
  public func wait() {
    precondition(mayWait || signals.withLock { $0 > 0 }, "nobody could signal")
    signals.wait(until: Self.consume)
  }

  /// The same, at most for `limit`; returns false if there was no signal.
  public func wait(atMost limit: Duration) -> Bool {
    signals.wait(atMost: mayWait ? limit : .zero, until: Self.consume) != nil
  }

  private static func consume(_ signals: inout Int) -> Void? {
    guard signals > 0 else { return nil }
    signals -= 1
    return ()
  }
}
