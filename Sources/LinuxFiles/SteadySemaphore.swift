/// A semaphore whose waits run on the clock that nobody sets.
///
/// Those of `DispatchSemaphore` end at a time of day (sem_timedwait(3)): where the clock is set back meanwhile, they last
/// for so much longer.
public final class SteadySemaphore: Sendable {
  private let signals = PlainLock(0)

  /// A semaphore without a signal.
  public init() {}

  /// Lets one wait end, now or later.
  public func signal() {
    signals.withLock { $0 += 1 }
    signals.wakeOne()
  }

  /// Blocks the thread until there is a signal, and takes it.
  public func wait() { signals.withLock(waitingUntil: { $0 > 0 }) { $0 -= 1 } }

  /// The same for so long at most; false where no signal came.
  public func wait(atMost limit: Duration) -> Bool {
    signals.withLock(waitingUntil: { $0 > 0 }, atMost: limit) { $0 -= 1 } != nil
  }
}
