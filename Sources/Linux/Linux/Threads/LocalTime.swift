import Glibc

/// A clock on the wall, by the time zones of the C library.
public enum LocalTime: Hashable, Sendable {
  /// UTC, whatever the zone of the process is.
  case utc
  /// The zone of the process: that of the variable `TZ`, else the machine's (tzset(3)).
  case process

  /// The last moment at which a zone's rule is asked, in the year 4,461,763. The C library counts days in 32 bits.
  private static let last: Int64 = 1 << 47

  /// Sets the zone of the process, by a name of the system's time zone database. For the start of a program: no other thread may read
  /// the environment meanwhile.
  ///
  /// The C library takes an unknown name for UTC, so the name has to be checked before.
  public static func setProcessZone(_ name: String) {
    _ = unsafe setenv("TZ", ":" + name, 1)
    tzset()
  }

  /// Returns the seconds by which the clock is ahead of UTC at a moment, in seconds since the Unix epoch.
  public func offset(at moment: Int64) -> Int {
    guard self == .process else { return 0 }
    var seconds = time_t(min(max(moment, -Self.last), Self.last))
    var parts = unsafe tm()
    // Ignored: no year up to the last moment is too large.
    _ = unsafe localtime_r(&seconds, &parts)
    return unsafe parts.tm_gmtoff
  }
}
