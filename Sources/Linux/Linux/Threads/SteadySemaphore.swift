/// A semaphore whose waits run on the clock that nobody sets.
///
/// Those of `DispatchSemaphore` end at a time of day (sem_timedwait(3)): where the clock is set back meanwhile, they last
/// for so much longer.
public final class SteadySemaphore: Sendable {
  private let signals = ConditionLock(0)
  private let mayWait: Bool

  /// A semaphore without a signal. In a simulation, where only one thread could ever signal, no wait takes any time.
  public init(on machine: Machine = .system) { mayWait = machine.world == nil }

  /// Lets one wait end, now or later.
  public func signal() {
    signals.withLock { $0 += 1 }
    signals.wakeOne()
  }

  /// Blocks the thread until there is a signal, and takes it.
  public func wait() {
    precondition(mayWait || signals.withLock { $0 > 0 }, "nobody could signal")
    signals.wait(until: Self.consume)
  }

  /// The same for so long at most; false where no signal came.
  public func wait(atMost limit: Duration) -> Bool {
    signals.wait(atMost: mayWait ? limit : .zero, until: Self.consume) != nil
  }

  private static func consume(_ signals: inout Int) -> Void? {
    guard signals > 0 else { return nil }
    signals -= 1
    return ()
  }
}
