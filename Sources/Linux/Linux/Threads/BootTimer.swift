import CLinux
import Glibc

/// A timer on CLOCK_BOOTTIME (timerfd_create(2)): a wait goes on while the machine sleeps, and one that ended meanwhile
/// rings as soon as the machine is back. The time-outs of poll(2), Dispatch and condition variables stand still in a suspend.
public final class BootTimer: Sendable {
  /// The descriptor that can be read once the time has come.
  public let descriptor: Int32

  /// Makes a timer that is not set. Throws ``ThreadError`` with EMFILE or ENFILE at the limits of descriptors.
  public init() throws(ThreadError) {
    descriptor = clinux_boot_timer()
    guard descriptor != -1 else { throw ThreadError("make", "a timer", code: errno) }
  }

  deinit { _ = close(descriptor) }

  /// Rings once after a pause, at once for none, or not at all for nil. What it was set to before is forgotten.
  public func set(after pause: Duration?) {
    // 0 would stop the timer. The times are in range, so it cannot fail.
    let nanoseconds = pause.map { max(1, Self.nanoseconds($0)) } ?? 0
    _ = clinux_set_timer(descriptor, nanoseconds)
  }

  /// Returns true if it has rung since it was set or this was last called.
  public func hasRung() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }

  /// At most some 200 years.
  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return min(max(seconds, -1), 6_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
