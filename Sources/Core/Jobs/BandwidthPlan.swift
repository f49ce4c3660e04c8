/// The bytes that all uploads together may send in a second, by the time of the week. A value without a clock.
public struct BandwidthPlan: Hashable, Sendable {
  /// A part of each week with a limit of its own.
  public struct Window: Hashable, Sendable {
    /// The minute of the week at which it begins; 0 is Monday, 00:00.
    public var from: Int
    /// The number of minutes that it lasts, 1 … 10,080.
    public var minutes: Int
    /// Bytes a second; 0 for no limit.
    public var limit: Int64

    /// Creates a window.
    public init(from: Int, minutes: Int, limit: Int64) {
      self.from = from
      self.minutes = minutes
      self.limit = limit
    }

    /// The minute of the week after its last one; it may lie in the next week.
    public var end: Int { from + minutes }

    /// Returns true if a second of the week is in it.
    func contains(second: Int) -> Bool {
      let since = second - from * 60
      return (since < 0 ? since + BandwidthPlan.week * 60 : since) < minutes * 60
    }
  }

  /// The minutes of a week.
  public static let week = 7 * 24 * 60

  /// The windows. No two of them overlap.
  public var windows: [Window]
  /// Bytes a second outside the windows; 0 for no limit.
  public var otherwise: Int64

  /// A plan; without windows the limit is the same at all times.
  public init(windows: [Window] = [], otherwise: Int64 = 0) {
    self.windows = windows
    self.otherwise = otherwise
  }

  /// Bytes a second at a moment; 0 for no limit. The local clock decides: an hour that it skips is in no window, and one that
  /// it repeats is in a window twice.
  public func limit(at time: Timestamp, in zone: TimeZoneRules) -> Int64 {
    guard !windows.isEmpty else { return otherwise }
    let second = time.secondOfWeek(in: zone)
    return windows.first { $0.contains(second: second) }?.limit ?? otherwise
  }

  /// Returns the next time at which the limit may change; nil if it never changes.
  public func nextChange(after time: Timestamp, in zone: TimeZoneRules) -> Timestamp? {
    guard !windows.isEmpty else { return nil }
    let (now, length) = (time.secondOfWeek(in: zone), Self.week * 60)
    let left = windows.flatMap { [$0.from, $0.end] }.map { edge in
      let left = (edge * 60 - now) % length
      return left <= 0 ? left + length : left
    }
    // Until the zone's next transition, local time runs evenly.
    let next = time.wholeSeconds + Int64(left.min() ?? length)
    return Timestamp(seconds: min(next, zone.nextTransition(after: time.wholeSeconds) ?? next))
  }
}
