public import Jobs

/// The place at which a stream of events begins.
public enum EventStart: Hashable, Sendable {
  /// With the next event.
  case now
  /// With the event after this number.
  case after(Int64)
  /// With the first at or after this time, from the log.
  case since(Timestamp)
}
