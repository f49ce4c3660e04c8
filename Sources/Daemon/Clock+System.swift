import Jobs
import SystemdLink
import Threads

extension Clock {
  /// The machine's clocks. The steady one starts out as the wall's time and goes on with CLOCK_BOOTTIME.
  static func system() -> Clock {
    let offset = Clocks.wall() - Clocks.boottime()
    return Clock(
      now: { Timestamp(microseconds: Clocks.wall()) },
      steady: { Timestamp(microseconds: Clocks.boottime() + offset) })
  }
}
