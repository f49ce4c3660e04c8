import Messages

/// A point in time, in microseconds since 1970-01-01T00:00:00Z. Times out of range become the first or the last point.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since the Unix epoch, leap seconds not counted.
  public let microseconds: Int64

  /// Creates a point that many microseconds after the Unix epoch.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates a point that many whole seconds after the Unix epoch.
  public init(seconds: Int64) { self.microseconds = seconds *| 1_000_000 }

  /// Orders by time.
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }

  /// Returns the point a duration later; fractions of a microsecond are cut off.
  public static func + (time: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(microseconds: time.microseconds +| duration.microseconds)
  }

  /// The time between two points.
  public static func - (a: Timestamp, b: Timestamp) -> Duration {
    .microseconds(a.microseconds) - .microseconds(b.microseconds)
  }
}

extension Duration {
  /// The whole microseconds of the duration.
  public var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }

  /// The duration in seconds, with fractions.
  public var inSeconds: Double {
    let parts = components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  /// Returns the pause doubled some times, up to the longest one.
  public func doubled(_ times: Int, upTo longest: Duration) -> Duration {
    min(self * (1 << min(max(times, 0), 16)), longest)
  }

  /// The duration as the configuration writes it, e.g. `500ms`, `10s` or `1h 30min`; never negative.
  public var inUnits: String { Message.Value.units(self) }
}
