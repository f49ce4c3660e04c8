import Glibc

/// The system's clocks as numbers of microseconds.
public enum Clocks {
  /// Microseconds since the Unix epoch (CLOCK_REALTIME). It jumps when the clock is set; for display and records.
  public static func wall() -> Int64 { read(CLOCK_REALTIME) }

  /// Microseconds since boot, time asleep included (CLOCK_BOOTTIME). It never jumps; for waits that outlive a suspend.
  public static func boottime() -> Int64 { read(CLOCK_BOOTTIME) }

  /// Microseconds on the clock that systemd uses for MONOTONIC_USEC (CLOCK_MONOTONIC), time asleep not included.
  public static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It fails only for a clock that does not exist or a bad pointer; neither is possible here.
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
