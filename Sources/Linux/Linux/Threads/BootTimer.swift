import CLinux
import Glibc
import Messages

/// A timer on CLOCK_BOOTTIME (timerfd_create(2)): if it ends while the machine is suspended, it fires as soon as that resumes. The
/// time-outs of poll(2), Dispatch and condition variables stand still during a suspend.
public final class BootTimer: Sendable {
  /// The descriptor, which becomes readable when the timer has fired.
  public let descriptor: Int32

  /// Creates a timer that is not set. Throws ``FileError`` with EMFILE or ENFILE at the limits of descriptors.
  public init() throws(FileError) {
    descriptor = clinux_boot_timer()
    guard descriptor != -1 else { throw FileError("make", path: "a timer", errno: errno) }
  }

  deinit { _ = close(descriptor) }

  /// Fires once after a pause: at once for zero, never for nil. An earlier setting is replaced.
  public func set(after pause: Duration?) {
    // 0 would disarm the timer; the limit is about 190 years. The times are in range, so the call cannot fail.
    _ = clinux_set_timer(descriptor, pause.map { min(max(1, $0.nanoseconds), 6_000_000_000 * 1_000_000_000) } ?? 0)
  }

  /// Returns true if it has fired since it was set or this was last called.
  public func hasRung() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }
}
