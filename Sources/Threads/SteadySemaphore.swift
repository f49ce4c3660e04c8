/// A semaphore whose waits run on the clock that nobody sets.
///
/// Those of `DispatchSemaphore` end at a time of day (sem_timedwait(3)): where the clock is set back meanwhile, they last
/// for so much longer.
public final class SteadySemaphore: Sendable {
  private let signals = ConditionLock(0)

  /// A semaphore without a signal.
  public init() {}

  /// Lets one wait end, now or later.
  public func signal() {
    signals.withLock { $0 += 1 }
    signals.wakeOne()
  }

  /// Blocks the thread until there is a signal, and takes it.
  public func wait() { signals.wait(until: Self.take) }

  /// The same for so long at most; false where no signal came.
  public func wait(atMost limit: Duration) -> Bool { signals.wait(atMost: limit, until: Self.take) != nil }

  private static func take(_ signals: inout Int) -> Void? {
    guard signals > 0 else { return nil }
    signals -= 1
    return ()
  }
}
