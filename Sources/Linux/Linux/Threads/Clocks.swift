import Glibc

/// The system's clocks, in microseconds.
public enum Clocks {
  /// Microseconds since the Unix epoch (CLOCK_REALTIME). It jumps when the clock is set. For display and records.
  public static func wall() -> Int64 { read(CLOCK_REALTIME) }

  /// Microseconds since boot, including suspends (CLOCK_BOOTTIME). It never jumps. For waits that last through a suspend.
  public static func boottime() -> Int64 { read(CLOCK_BOOTTIME) }

  /// Microseconds on the clock that systemd uses for MONOTONIC_USEC (CLOCK_MONOTONIC), without suspends.
  public static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It fails only for an invalid clock or pointer, which cannot occur here.
    _ = unsafe clock_gettime(clock, &time)
    return time.nanoseconds / 1000
  }
}
